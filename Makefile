# make demo: see it work. make test: every check. Both set everything up in .venv on the first run.

PYTHON ?= python3
VENV   := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
PY := $(BIN)/python

# Tests start hundreds of Python processes. Where the environment forbids bytecode, each of them would compile all that it
# imports; Python takes an empty value for none.
export PYTHONDONTWRITEBYTECODE :=

KERNELS := $(shell $(PYTHON) -c "import runpy; print(*('src/' + k.replace('.', '/') + '.py' for k in runpy.run_path('src/retick/_kernels.py')['KERNELS']))")
KERNEL_FILES := setup.py src/retick/_kernels.py $(KERNELS) $(wildcard $(KERNELS:.py=.pxd))

.PHONY: help demo test lint types architecture test-compiled test-pure docs pictures soak fuzz bench clean
.PHONY: soak-fuzz soak-tests soak-pure soak-chaos soak-cheats soak-search

help:
	@echo "make demo   two peers fight over a bad link, in this terminal"
	@echo "make test   lint, types, tests compiled, tests of the kernels uncompiled"
	@echo "make docs   the documentation as a site with search, in site/; broken links are errors"
	@echo "make pictures  the pictures of the studio in docs/pictures, taken from the real page"
	@echo "make soak   what takes longer than make test, in parts: soak-fuzz soak-tests soak-pure soak-chaos soak-cheats soak-search"
	@echo "make fuzz   fuzz all decoders: FUZZ_SECONDS=600 for each family, or PACKETS=100000000; RECORD=1; SANITIZE=1"
	@echo "make bench  ns per step, compiled, uncompiled and in C"
	@echo "make clean  remove .venv and everything that was built"

demo: $(VENV)/.demo
	$(BIN)/retick demo

# What keeps one core busy goes side by side; the tests share out all cores by themselves.
test: $(VENV)/.dev
	$(MAKE) --jobs 2 lint types $(VENV)/.programs
	$(MAKE) test-compiled
	$(MAKE) test-pure

lint: $(VENV)/.dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: $(VENV)/.dev
	$(PY) -m mypy

architecture: $(VENV)/.dev
	$(PY) -m pytest -q tests/test_architecture.py

# More processes than cores: many tests wait for other programs.
TEST_PROCESSES ?= 4

# Programs of the system that tests drive: a browser, and tshark. Where they cannot be installed, tests are skipped.
$(VENV)/.programs: $(VENV)/.dev tests/programs.py
	$(PY) -m tests.programs install
	@touch $@

test-compiled: $(VENV)/.dev $(VENV)/.programs
	$(PY) -m pytest -q -n $(TEST_PROCESSES) -m "not soak"

# The kernels' own tests, over their Python source. What else rests on kernels has run compiled, where
# session/test_both_forms.py and fuzz/test_runs.py compare whole matches and all decoders in both forms, byte by byte;
# make soak runs it uncompiled, too.
VERIFY_TESTS := $(addprefix verify/test_,batch.py judge.py kernel.py tar.py)
PURE_TESTS := $(wildcard $(addprefix tests/,sim games wire link snapshot fuzz/test_corpus.py checkers/test_both_forms.py \
	rollback/engine rollback/match rollback/test_lan.py $(addprefix rollback/session/test_,core.py both_forms.py session.py) \
	authority/survey $(addprefix authority/test_,bodies.py compact.py deltas.py views.py views_of_forms.py) \
	$(VERIFY_TESTS)))
ON_KERNELS := $(wildcard $(addprefix tests/,sim games wire link snapshot rollback authority host netrunner replay testing \
	checkers/cheats checkers/test_*.py fuzz $(VERIFY_TESTS)))

test-pure: $(VENV)/.dev
	RETICK_PURE=1 $(PY) -m pytest -q -n $(TEST_PROCESSES) --hypothesis-profile=quick -m "not long and not soak" $(PURE_TESTS)

# Warnings are errors, and broken links, also to a heading, are warnings; then the pages themselves are checked.
docs: $(VENV)/.docs
	PYTHONPATH=src $(PY) -m sphinx --quiet --fail-on-warning --keep-going -c docs/_site -d build/doctrees docs site
	$(PY) docs/_site/check.py site

# It needs a Chromium of the system, as the tests of the studio do.
pictures: $(VENV)/.dev $(VENV)/.programs
	$(PY) docs/pictures/make.py

# What takes longer than the tests, in parts that each end within 80 minutes on two cores.
SOAK_PARTS := soak-fuzz soak-tests soak-pure soak-chaos soak-cheats soak-search

soak: $(SOAK_PARTS)

soak-fuzz: $(VENV)/.dev
	$(MAKE) fuzz
	$(PY) -m fuzz.storm --datagrams 10000000

soak-tests: $(VENV)/.dev $(VENV)/.programs
	$(PY) -m pytest -q -n $(TEST_PROCESSES) --hypothesis-profile=soak tests/sim tests/wire tests/snapshot tests/link tests/rollback tests/authority
	$(PY) -m pytest -q -n $(TEST_PROCESSES) -m soak tests
	$(PIP) ray
	$(PY) -m pytest -q tests/verify/test_ray.py

soak-pure: $(VENV)/.dev
	RETICK_PURE=1 $(PY) -m pytest -q -n $(TEST_PROCESSES) $(ON_KERNELS)

soak-chaos: $(VENV)/.dev
	$(PY) -m benchmarks chaos --players 2 --matches 2000
	$(PY) -m benchmarks chaos --players 4 --matches 300
	$(PY) -m benchmarks chaos --players 8 --matches 20
	$(PY) -m benchmarks chaos --nat --players 2 --matches 1000
	$(PY) -m benchmarks chaos --nat --players 4 --matches 100
	$(PY) -m benchmarks chaos --hours 1

soak-cheats: $(VENV)/.dev
	$(PY) -m benchmarks cheats --matches 1500
	$(PY) -m benchmarks cheats --matches 500 --colluding

soak-search: $(VENV)/.dev
	$(PY) -m tests.checkers.membership
	$(PY) -m tests.checkers.worlds --seeds 1:20001

FUZZ_SECONDS ?= 60
FUZZ_OPTIONS := $(if $(PACKETS),--packets $(PACKETS),--seconds $(FUZZ_SECONDS)) $(if $(RECORD),--record) $(if $(SEED),--seed $(SEED))

ifdef SANITIZE
fuzz: $(VENV)/.dev
	$(PY) -m fuzz sanitize $(TARGETS) --packets $(or $(PACKETS),20000)
else
fuzz: $(VENV)/.dev
	$(PY) -m fuzz run $(TARGETS) $(FUZZ_OPTIONS)
	$(PY) -m fuzz compare $(TARGETS)
	$(PY) -m fuzz coverage $(TARGETS) --packets 2000
endif

bench: $(VENV)/.dev
	$(PY) -m benchmarks sim

clean:
	rm -rf $(VENV) build site docs/reference/api src/*.egg-info
	find src -name '*.so' -o -name '*.pyd' | xargs rm -f
	find src -name '*.c' -o -name '*.html' | grep -v static | xargs rm -f

$(PY):
	$(PYTHON) -m venv $(VENV)

# The kernels are built beside their sources before pip is asked for an editable install, since pip shows nothing of a
# build. What builds them stays in .venv, so that a changed kernel builds again in seconds.
PIP := $(PY) -m pip install --quiet --disable-pip-version-check
NEEDS = $(shell $(PYTHON) scripts/needs.py $(1))
BUILD_TOOLS := $(shell $(PYTHON) -c "import tomllib; print(*(repr(need) for need in tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires']))")

$(VENV)/.tools: $(PY) pyproject.toml
	@echo "setting up $(VENV), and compiling the kernels: about a minute the first time"
	$(PIP) $(BUILD_TOOLS)
	@touch $@

$(VENV)/.kernels: $(VENV)/.tools $(KERNEL_FILES)
	$(PY) setup.py --quiet build_ext --inplace
	@touch $@

# What the demo and the page need is fetched while kernels are compiled.
$(VENV)/.fetched: $(VENV)/.tools
	$(PIP) $(call NEEDS,studio)
	@touch $@

$(VENV)/.demo: $(VENV)/.tools $(KERNEL_FILES)
	@$(MAKE) --no-print-directory --jobs 2 $(VENV)/.kernels $(VENV)/.fetched
	$(PIP) --no-build-isolation --no-deps --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.kernels
	$(PIP) --no-build-isolation --editable ".[dev]"
	-@$(PIP) --only-binary :all: $(call NEEDS,recipes) || echo "raylib or panda3d has no wheel here: its recipe is not run"
	@touch $@ $(VENV)/.demo

# The site is made from the sources as they are: no kernel is built for it.

$(VENV)/.docs: $(PY) pyproject.toml
	$(PIP) $(call NEEDS,docs)
	@touch $@
