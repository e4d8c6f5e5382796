"""Libraries that only some sources need."""

import sys

import pytest

from retick.errors import MissingExtra
from retick.verify import manifest


@pytest.mark.parametrize("name", ["pyarrow", "fsspec"])
def test_a_library_is_imported_when_it_is_asked_for_or_named_with_its_remedy(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert getattr(manifest, name)() is pytest.importorskip(name)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=f"pip install {name}$"):
        getattr(manifest, name)()
