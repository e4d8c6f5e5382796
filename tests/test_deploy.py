"""The files in deploy/ parse, and name options that ``retick serve`` and ``retick relay`` have."""

import json
import re
import shlex
from pathlib import Path

import pytest
import typer
import yaml

from retick.cli.app import app
from retick.integrations.agones import HEALTH_EVERY

DEPLOY = Path(__file__).parents[1] / "deploy"


def text_of(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def unit(name: str = "retick.service") -> dict[str, dict[str, list[str]]]:
    """Section to key to values; a key may come more than once."""
    found: dict[str, dict[str, list[str]]] = {}
    section: dict[str, list[str]] = {}
    for line in text_of(name).splitlines():
        if line.startswith("[") and line.endswith("]"):
            section = found.setdefault(line[1:-1], {})
        elif line and not line.startswith("#"):
            key, equals, value = line.partition("=")
            assert equals
            assert key.isidentifier()
            section.setdefault(key, []).append(value)
    return found


def container_instructions(name: str = "Containerfile") -> list[tuple[str, str]]:
    """Each instruction and the rest of its line."""
    lines = [line for line in text_of(name).splitlines() if line and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def container_words(name: str = "Containerfile") -> list[str]:
    told = dict(container_instructions(name))
    words: list[str] = [*json.loads(told["ENTRYPOINT"]), *json.loads(told["CMD"])]
    return words


def agones_words() -> list[str]:
    found = re.search(r"^ +args: (\[.*\])$", text_of("agones.yaml"), re.MULTILINE)
    assert found is not None
    words: list[str] = json.loads(found[1])
    return ["retick", "serve", *words]


@pytest.mark.parametrize(
    "words",
    [shlex.split(unit()["Service"]["ExecStart"][0]), container_words(), agones_words()],
    ids=["unit", "container", "agones"],
)
def test_the_options_are_those_of_retick_serve(words: list[str]) -> None:
    assert Path(words[0]).name == "retick"
    assert words[1] == "serve"
    group = typer.main.get_command(app)
    command = group.commands["serve"]  # type: ignore[attr-defined]  # versions of typer have groups of different types
    context = command.make_context("serve", words[2:], resilient_parsing=False)
    assert context.params["game"] == "runner"


@pytest.mark.parametrize(
    "words",
    [shlex.split(unit("retick-relay.service")["Service"]["ExecStart"][0]), container_words("Containerfile.relay")],
    ids=["unit", "container"],
)
def test_the_options_are_those_of_retick_relay(words: list[str]) -> None:
    assert Path(words[0]).name == "retick"
    assert words[1] == "relay"
    group = typer.main.get_command(app)
    command = group.commands["relay"]  # type: ignore[attr-defined]  # versions of typer have groups of different types
    context = command.make_context("relay", words[2:], resilient_parsing=False)
    assert context.params["port"] == 7788
    assert context.params["key"].name == "relay.key"


def test_the_relays_unit_keeps_its_key_and_runs_as_an_ordinary_user() -> None:
    service = unit("retick-relay.service")["Service"]
    words = shlex.split(service["ExecStart"][0])
    assert Path(words[words.index("--key") + 1]).parent.name == service["StateDirectory"][0]
    assert service["Restart"] == ["always"]
    assert service["DynamicUser"] == service["NoNewPrivileges"] == ["yes"]


def test_the_unit_drains_within_the_time_that_systemd_gives_and_runs_as_an_ordinary_user() -> None:
    sections = unit()
    assert set(sections) == {"Unit", "Service", "Install"}
    service = sections["Service"]
    words = shlex.split(service["ExecStart"][0])
    assert float(words[words.index("--drain") + 1]) < float(service["TimeoutStopSec"][0])
    assert service["KillMode"] == ["mixed"]
    assert service["DynamicUser"] == ["yes"]
    assert service["NoNewPrivileges"] == ["yes"]


@pytest.mark.parametrize("container", ["Containerfile", "Containerfile.relay"])
def test_the_container_runs_as_an_ordinary_user_and_no_file_names_a_registry(container: str) -> None:
    steps = container_instructions(container)
    assert [rest.split()[0] for name, rest in steps if name == "FROM"] == ["python:3.13", "python:3.13-slim"]
    users = [rest for name, rest in steps if name == "USER"]
    assert users == ["10001"]
    assert [name for name, _ in steps].index("USER") > max(at for at, (name, _) in enumerate(steps) if name == "RUN")
    for name in (container, "agones.yaml", "retick.service", "retick-relay.service"):
        text = text_of(name)
        images = re.findall(r"^(?:FROM|\s*image:) (\S+)", text, re.MULTILINE)
        assert all("." not in image.partition("/")[0].partition(":")[0] for image in images)
        assert "://" not in text
        assert "index-url" not in text


def test_the_manifest_parses_and_its_times_fit_the_server() -> None:
    fleet = yaml.safe_load(text_of("agones.yaml"))
    assert (fleet["apiVersion"], fleet["kind"]) == ("agones.dev/v1", "Fleet")
    server = fleet["spec"]["template"]["spec"]
    assert server["health"]["periodSeconds"] > HEALTH_EVERY
    assert [(port["containerPort"], port["protocol"]) for port in server["ports"]] == [(7777, "UDP")]
    pod = server["template"]["spec"]
    words = agones_words()
    assert pod["terminationGracePeriodSeconds"] > float(words[words.index("--drain") + 1])
    assert "--workers" not in words, "only one port is mapped"
    assert pod["containers"][0]["name"] == server["container"]
    assert pod["securityContext"]["runAsNonRoot"] is True
