"""Many replays at once: where they come from, who runs them, and the files of results.

An app: it opens files, starts threads and processes, and imports pyarrow, fsspec and ray if they are asked for. It
reads recordings with ``retick.replay`` and prints nothing.
"""

from typing import TYPE_CHECKING

from retick._lazy import lazy

if TYPE_CHECKING:
    from retick.verify.corpus import generate
    from retick.verify.results import ResultFile
    from retick.verify.rows import Row
    from retick.verify.run import Run, verify_many
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "retick.verify.corpus": "generate",
            "retick.verify.results": "ResultFile",
            "retick.verify.rows": "Row",
            "retick.verify.run": "Run verify_many",
        },
    )

__all__ = ["ResultFile", "Row", "Run", "generate", "verify_many"]
