"""Leaves out what only the compiled kernels can show, where they are not what runs."""

import pytest

import retick


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if retick.is_compiled():
        return
    reason = pytest.mark.skip(reason="says something about the compiled kernels, and the sources run here")
    for item in items:
        if item.get_closest_marker("compiled_only"):
            item.add_marker(reason)
