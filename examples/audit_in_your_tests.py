"""The audit as two tests of your game: copy them, and replace the fighter's module by yours."""

from retick.audit import audit_dynamic, audit_static


def test_the_source_keeps_the_contract() -> None:
    report = audit_static("retick.games.fighter")
    assert report.ok, "\n".join(str(finding) for finding in report.findings)


def test_the_match_is_the_same_everywhere() -> None:
    audit_dynamic("retick.games.fighter:Fighter", frames=300).raise_if_different()


if __name__ == "__main__":
    test_the_source_keeps_the_contract()
    test_the_match_is_the_same_everywhere()
    print("deterministic, as far as the audit can tell")
