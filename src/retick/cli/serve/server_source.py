"""What the HTTP page asks of one server, in the loop where the server runs."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prometheus_client.core import Metric

__all__ = ["ServerSource"]


class ServerSource:
    """The metrics of one server."""

    def __init__(self, server: Any) -> None:
        self._server = server

    @property
    def is_ready(self) -> bool:
        return not self._server.is_draining and bool(self._server.rooms)

    async def families(self) -> "list[Metric]":
        from retick.cli.serve.families import families_of  # prometheus_client is there if there is a page

        return families_of(self._server)
