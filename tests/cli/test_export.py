"""``retick export schema``."""

import json
from pathlib import Path

from typer.testing import CliRunner

from retick.authority.layout import layout_of
from retick.cli.app import app
from tests.authority.worlds import Court

TANKS = Path(__file__).parents[2] / "examples" / "tanks.py"


def test_the_tables_are_those_of_the_layout() -> None:
    result = CliRunner().invoke(app, ["export", "schema", "tests.authority.worlds:Court"])
    assert result.exit_code == 0
    tables = json.loads(result.stdout)
    layout = layout_of(Court)
    assert tables["hash"] == f"{layout.hash:016x}"
    assert tables["text"] == layout.text
    assert [component["name"] for component in tables["components"]] == [each.name for each in layout.components]
    pawns = tables["components"][1]
    assert pawns["class"] == "Pawn"
    assert pawns["fields"][1] == {
        "name": "x", "code": "steps", "bits": 14, "span": "10240", "default": "0", "low": 0.0, "step": 0.0625,
        "compact": True,
    }  # fmt: skip
    assert next(field for field in pawns["fields"] if field["name"] == "ammo")["owner_only"]
    assert next(field for field in pawns["fields"] if field["name"] == "side")["members"] == ["RED", "BLUE", "NONE"]
    assert tables["components"][2]["holder"] == "pawns"
    assert tables["messages"]["WELCOME"] == 0x31


def test_vectors_rectangles_and_texts_are_exported_number_by_number() -> None:
    result = CliRunner().invoke(app, ["export", "schema", "tests.authority.gallery:Gallery"])
    assert result.exit_code == 0
    frames = {field["name"]: field for field in json.loads(result.stdout)["components"][1]["fields"]}
    assert frames["pos.y"] == {
        "name": "pos.y", "code": "steps", "bits": 14, "span": "10240", "default": "0", "low": 0.0, "step": 0.0625,
        "compact": True,
    }  # fmt: skip
    assert (frames["box.w"]["code"], frames["box.w"]["low"]) == ("int", "-2147483648")
    assert frames["aim?"]["owner_only"]
    assert (frames["title.length"]["span"], frames["title.length"]["default"]) == ("12", "8")
    assert [(frames[f"title[{at}]"]["code"], frames[f"title[{at}]"]["bits"]) for at in (0, 1)] == [
        ("text", 64), ("text", 32),
    ]  # fmt: skip


def test_the_example_can_be_exported() -> None:
    result = CliRunner().invoke(app, ["export", "schema", f"{TANKS}:Tanks"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["game_id"] == "example.tanks"


def test_a_game_that_is_no_declared_world_is_refused() -> None:
    result = CliRunner().invoke(app, ["export", "schema", "retick.games.fighter:Fighter"])
    assert result.exit_code == 2
    assert "is not a declared world" in result.output
