"""Child interpreters: a job in, lines both ways, and every way to end."""

import json
from pathlib import Path

import pytest

from retick.audit.interpreter import Interpreter, InterpreterDied, interpreters
from retick.errors import UsageError

ECHO = "tests.audit.echo_worker"
HERE = {"PYTHONPATH": str(Path(__file__).parents[2])}


def hang(child: Interpreter) -> None:
    """Wait for an answer that never comes."""
    child.send("hang")
    while True:
        child.read_line()


def test_a_child_gets_its_job_and_answers_in_lines_that_the_game_cannot_disturb() -> None:
    job = {"text": "ä\n", "numbers": [1, 2.5, None], "much": "x" * 1_000_000}
    with interpreters(60) as start:
        child = start(ECHO, job, {**HERE, "ECHO": "yes"})
        assert json.loads(child.read_line()) == {"job": job, "stdin": "", "variable": "yes"}
        child.send("hello")
        assert child.read_line() == "hello"


def test_a_child_that_dies_is_reported_with_its_code_and_last_words() -> None:
    with interpreters(60) as start:
        child = start(ECHO, {}, HERE)
        child.read_line()
        child.send("die")
        with pytest.raises(InterpreterDied) as caught:
            child.read_line()
    assert (caught.value.code, caught.value.last_line, caught.value.timed_out) == (7, "the last words", False)


def test_a_module_that_is_not_there_is_a_death() -> None:
    with interpreters(60) as start, pytest.raises(InterpreterDied, match="No module named"):
        start("tests.audit.no_such_worker", {}, {}).read_line()


def test_all_children_are_stopped_at_the_timeout() -> None:
    with interpreters(1.0) as start:
        children = [start(ECHO, {}, HERE) for _ in range(2)]
        for child in children:
            with pytest.raises(InterpreterDied) as caught:
                hang(child)
            assert caught.value.timed_out


def test_a_child_that_starts_after_the_timeout_is_stopped_too() -> None:
    with interpreters(1.0) as start:
        with pytest.raises(InterpreterDied):
            hang(start(ECHO, {}, HERE))
        with pytest.raises(InterpreterDied) as caught:
            start(ECHO, {}, HERE).read_line()
    assert caught.value.timed_out


def test_children_end_with_their_context() -> None:
    with interpreters(60) as start:
        child = start(ECHO, {}, HERE)
        child.read_line()
    assert child._process.returncode is not None


def test_a_disk_without_room_for_a_temporary_file_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left() -> None:
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr("tempfile.TemporaryFile", none_left)
    with pytest.raises(UsageError, match="perhaps because the disk is full: No usable temporary directory"):
        Interpreter("tests.audit.echo_worker", {})
