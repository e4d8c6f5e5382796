"""The matrix of docs/guides/internet.md: ``python -m tests.routes.matrix_table`` plays all pairs and writes it anew."""

from itertools import product
from pathlib import Path

from retick.games.fighter import Fighter
from retick.routes import PathKind
from retick.testing.online_mesh import OnlineMesh
from retick.transport import Nat, NatKind

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "internet.md"
BEGIN, END = "<!-- the matrix -->\n", "<!-- end of the matrix -->\n"


def _is_direct(mesh: OnlineMesh) -> bool:
    """Whether both sides send directly."""
    ways = [mesh.kinds(name) for name in mesh.peers]
    return all(way and PathKind.RELAY not in way.values() for way in ways)


def cell(one: NatKind, other: NatKind) -> str:
    """How this pair plays, with the seconds from the code to the direct path and to the first frame."""
    mesh = OnlineMesh(Fighter, nats={"peer0": Nat(kind=one), "peer1": Nat(kind=other)})
    moments: dict[str, float] = {}
    for _ in range(300):
        mesh.run(0.01)
        if _is_direct(mesh):
            moments.setdefault("direct", mesh.network.now - mesh.has_code_at)
        if all(peer.session.running for peer in mesh.alive):
            moments.setdefault("frame", mesh.network.now - mesh.has_code_at)
    mesh.play(300)
    mesh.verify()
    way = f"direct after {moments['direct']:.1f} s" if "direct" in moments else "relay"
    return f"{way}; first frame {moments['frame']:.1f} s"


def rendered() -> str:
    """The table."""
    lines = ["| host | " + " | ".join(kind.value for kind in NatKind) + " |", "|---" * 5 + "|"]
    for one, row in ((one, [cell(*pair) for pair in product([one], NatKind)]) for one in NatKind):
        lines.append(f"| **{one.value}** | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def written(page: str, table: str) -> str:
    """The page with this table."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + table + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), rendered()), encoding="utf-8")
