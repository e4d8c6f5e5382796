"""Fuzz everything that reads bytes from outside. Targets are named as "link/hello", or by their family as "link".

    python -m fuzz list                                 the targets, and their corpora
    python -m fuzz run                                  a minute for each family, in both forms
    python -m fuzz run link --seconds 600 --seed 7
    python -m fuzz run --packets 100000000 --record     at full speed, and added to the running total
    python -m fuzz compare                              compiled and uncompiled agree on every value and error text
    python -m fuzz coverage --missing                   lines and branches that the corpora reach, uncompiled
    python -m fuzz grow session --seconds 300           add what reaches something new to the corpora, and minimise them
    python -m fuzz sanitize --packets 20000             with kernels that are built to notice wrong use of memory
    python -m fuzz try link/hello FILE ...              what becomes of these bytes
    python -m fuzz.storm --datagrams 10000000           mutated datagrams against two sealed ends that talk

The exit code is 1 when a bug was found. Its bytes are then in the corpus, where a test runs them from now on.
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from fuzz import corpus, totals
from fuzz.compare import compare
from fuzz.runs import answers, run_all, say_bug
from fuzz.sanitizers import built_with_sanitizers
from fuzz.target import Target, outcome, run_one
from fuzz.targets import matching

CHUNK = 400_000
"""Packets of one task, which are lost if the run is stopped."""
SLOW_CHUNK = 10_000


def _tasks_by_time(options: argparse.Namespace, targets: list[Target]) -> list[dict[str, Any]]:
    """Share a family's time among its targets; a script gets as much as the family's others together."""
    tasks = []
    for form in ("compiled", "pure") if options.form == "both" else (options.form,):
        for target in targets:
            share = sum(other.family == target.family for other in targets)
            tasks.append({
                "do": "search" if form == "pure" else "flood", "form": form, "target": target.name,
                "seed": options.seed, "seconds": options.seconds / share,
            })  # fmt: skip
    return tasks


def _tasks_by_packets(options: argparse.Namespace, targets: list[Target]) -> list[dict[str, Any]]:
    """Split the same number of packets for each target, fewer for slow ones, into chunks with different seeds."""
    form = "compiled" if options.form == "both" else options.form
    whole = sum(target.share for target in targets)
    tasks: list[dict[str, Any]] = []
    for target in targets:
        chunk = CHUNK if target.share == 1.0 else SLOW_CHUNK
        each = math.ceil(options.packets * target.share / whole)
        for number, start in enumerate(range(0, each, chunk)):
            tasks.append({
                "do": "flood", "form": form, "target": target.name, "seed": options.seed + number,
                "packets": min(chunk, each - start),
            })  # fmt: skip
    random.Random(options.seed).shuffle(tasks)
    return tasks


def _run(options: argparse.Namespace) -> int:
    targets = matching(options.targets)
    tasks = (_tasks_by_packets if options.packets else _tasks_by_time)(options, targets)
    started = time.monotonic()
    done = bugs = 0
    print(f"seed {options.seed}: {len(targets)} targets, {len(tasks)} tasks, {options.jobs} at once", flush=True)
    for number, (task, found) in enumerate(run_all(tasks, options.jobs), 1):
        for answer in found:
            if "bug" in answer:
                bugs += 1
                print(say_bug(task, answer), flush=True)
                continue
            done += answer["packets"]
            if options.record:
                totals.add({answer["target"]: answer["packets"]})
            rate = answer["packets"] / max(answer["seconds"], 1e-9)
            more = f", {answer['new']} inputs with new steps" if "new" in answer else ""
            print(
                f"[{number}/{len(tasks)}] {task['target']:26} {task['form']:8} {answer['packets']:>10,} packets, "
                f"{rate:>9,.0f}/s{more}; {done:,} in {time.monotonic() - started:,.0f} s",
                flush=True,
            )
    print(f"{done:,} packets in {time.monotonic() - started:,.0f} s: {bugs or 'no'} bug{'s' * (bugs != 1)}")
    return 1 if bugs else 0


def _grow(options: argparse.Namespace) -> int:
    tasks = [
        {"do": "grow", "form": "pure", "target": target.name, "seed": options.seed, "seconds": options.seconds}
        for target in matching(options.targets)
    ]
    bugs = 0
    for task, found in run_all(tasks, options.jobs):
        for answer in found:
            if "bug" in answer:
                bugs += 1
                print(say_bug(task, answer), flush=True)
            else:
                print(
                    "{target:26} {packets:>9,} packets, {new} new, {kept} kept, {steps} steps".format(**answer),
                    flush=True,
                )
    return 1 if bugs else 0


def _coverage(options: argparse.Namespace) -> int:
    if os.environ.get("RETICK_PURE") != "1":
        # Retick reads this variable at import, which has happened already.
        return subprocess.call([sys.executable, "-m", "fuzz", *sys.argv[1:]], env={**os.environ, "RETICK_PURE": "1"})
    from fuzz.coverage_report import main

    main(matching(options.targets), options.packets, options.missing)
    return 0


def _compare(options: argparse.Namespace) -> int:
    return 1 if compare(matching(options.targets), seed=options.seed, inputs=options.inputs, jobs=options.jobs) else 0


def _sanitize(options: argparse.Namespace) -> int:
    """Run the corpora and mutants of them in a build with sanitizers."""
    env = built_with_sanitizers()
    bugs = 0
    for target in matching(options.targets):
        task = {"do": "replay", "form": "compiled", "target": target.name, "unlimited": True, "env": env}
        if options.packets:
            task |= {"do": "flood", "seed": options.seed, "packets": options.packets // (50 if target.is_script else 1)}
        for answer in answers(task):
            if "bug" in answer:
                bugs += 1
                print(say_bug(task, answer), flush=True)
            else:
                print(f"{target.name:26} {answer['packets']:>9,} packets", flush=True)
    print(f"with sanitizers: {bugs or 'no'} bug{'s' * (bugs != 1)}")
    return 1 if bugs else 0


def _list(options: argparse.Namespace) -> int:
    for target in matching(options.targets):
        inputs = corpus.kept(target)
        print(
            f"{target.name:26} {len(inputs):4} inputs, {sum(map(len, inputs)):6} bytes   {', '.join(target.decoders)}"
        )
    return 0


def _try(options: argparse.Namespace) -> int:
    (target,) = matching([options.target])
    for path in options.files:
        data = path.read_bytes()
        print(f"{path}: {outcome(target, data)}")
        run_one(target, data)
    return 0


def _worker(options: argparse.Namespace) -> int:
    from fuzz.worker import main

    return main(json.loads(options.task))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    for name, do in (
        ("run", _run),
        ("grow", _grow),
        ("compare", _compare),
        ("coverage", _coverage),
        ("sanitize", _sanitize),
        ("list", _list),
    ):
        command = commands.add_parser(name)
        command.set_defaults(do=do)
        command.add_argument("targets", nargs="*", help="names or families; all without")
        command.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 31))
        command.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
        if name in ("run", "grow"):
            command.add_argument("--seconds", type=float, default=60.0, help="for each family (run) or target (grow)")
        if name in ("run", "coverage", "sanitize"):
            command.add_argument("--packets", type=int, default=0, help="run: over all targets; else: for each")
        if name == "run":
            command.add_argument("--form", choices=("both", "compiled", "pure"), default="both")
            command.add_argument(
                "--record", action="store_true", help="add to the running total and docs/internals/fuzzing.md"
            )
        if name == "compare":
            command.add_argument(
                "--inputs", type=int, default=20_000, help="for each target; a fiftieth of it for scripts"
            )
        if name == "coverage":
            command.add_argument("--missing", action="store_true", help="show what is not reached")
    command = commands.add_parser("try")
    command.set_defaults(do=_try)
    command.add_argument("target")
    command.add_argument("files", nargs="+", type=Path)
    command = commands.add_parser("worker", help="one task, as JSON; see worker.py")
    command.set_defaults(do=_worker)
    command.add_argument("task")
    return parser


if __name__ == "__main__":
    given = _parser().parse_args()
    try:
        code = given.do(given)
    except KeyboardInterrupt:
        code = 130
    raise SystemExit(code)
