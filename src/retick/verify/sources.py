"""Where recordings come from: files, folders, patterns, archives, URLs and manifests, as batches for an engine.

Everything is a generator: names are listed when they are needed, one folder at a time.
"""

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from retick.replay import ReadLimits
from retick.verify.archives import ENDINGS, is_parquet, is_tar, parquet_batches, tar_batches
from retick.verify.batch import Batch, BatchEntry
from retick.verify.engines import Unit
from retick.verify.manifest import NO_PATH, Manifest, entries_of, fsspec, is_url, unreachable
from retick.verify.reading import BATCH_BYTES, BATCH_FILES, ByteRange, Files


def is_many(source: str) -> bool:
    """Whether a source may be more than one file."""
    return is_url(source) or is_tar(source) or is_parquet(source) or _is_pattern(source) or os.path.isdir(source)


def _is_pattern(source: str) -> bool:
    return glob.has_magic(source) and not os.path.lexists(source)


class Sources:
    """The sources of one run."""

    def __init__(
        self,
        sources: Iterable[str | os.PathLike[str]],
        *,
        manifest: str | os.PathLike[str] | None = None,
        is_done: Callable[[str], bool] | None = None,
        limits: ReadLimits | None = None,
        piece: int = BATCH_BYTES,
        files: int = BATCH_FILES,
    ) -> None:
        """Paths for which ``is_done`` is true are left out; a batch has about ``piece`` bytes, or ``files`` files."""
        self._sources = [os.fspath(each) for each in sources]
        self._list = manifest if not self._sources else None
        self._table = Manifest(manifest) if manifest is not None and self._sources else None
        self._is_done = is_done or (lambda path: False)
        self._limits = limits or ReadLimits()
        self._piece = piece
        self._files = files

    def units(self) -> Iterator[Unit]:
        """The batches of everything that is to be run."""
        files = Files()
        for unit in self._units():
            if isinstance(unit, BatchEntry):
                if not self._is_done(unit.path):
                    files.append(unit)
                if len(files) >= self._files:
                    yield files
                    files = Files()
                continue
            if files:
                yield files
                files = Files()
            left = [entry for entry in unit.entries if not self._is_done(entry.path)]
            if left:
                yield replace(unit, entries=left)
            elif isinstance(unit, Batch) and unit.done is not None:
                unit.done()
        if files:
            yield files

    def count(self) -> int | None:
        """The number of files, for a progress display; None if they cannot be counted before they are read."""
        if any(is_url(each) or is_tar(each) or is_parquet(each) for each in self._sources):
            return None
        if self._list is not None:
            return sum(1 for _ in entries_of(self._list))
        return sum(1 for source in self._sources for _ in self._local(source))

    def _units(self) -> Iterator[BatchEntry | Batch | ByteRange]:
        if self._list is not None:
            yield from self._listed(self._list)
        for source in self._sources:
            if is_url(source):
                yield from self._remote(source)
            elif (is_tar(source) or is_parquet(source)) and not os.path.isdir(source):
                yield from self._archive(source)
            else:
                yield from self._local(source)
        if self._table is not None:
            yield from self._table.missing()

    def _listed(self, manifest: str | os.PathLike[str]) -> Iterator[BatchEntry | Batch | ByteRange]:
        folder = os.path.dirname(os.fspath(manifest))
        for entry in entries_of(manifest):
            if entry.problem == NO_PATH:
                yield entry
            elif is_url(entry.path):
                fsspec()
                yield entry
            else:
                yield entry._replace(path=os.path.join(folder, entry.path))

    def _local(self, source: str) -> Iterator[BatchEntry]:
        if os.path.isdir(source):
            yield from self._folder(source, os.path.join(os.path.abspath(source), ""))
        elif _is_pattern(source):
            found = False
            for path in glob.iglob(source, recursive=True):
                found = True
                if not os.path.isdir(path):
                    yield self._look(path, os.path.abspath(path))
            if not found:
                yield BatchEntry(source, problem="no file matches the pattern")
        else:
            yield self._look(source, os.path.abspath(source))

    def _folder(self, folder: str, absolute: str) -> Iterator[BatchEntry]:
        try:
            names = sorted(os.listdir(folder))
        except OSError as error:
            yield BatchEntry(folder, problem=error.strerror or str(error))
            return
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(ENDINGS):
                yield self._look(path, absolute + name)
            elif os.path.isdir(path) and not os.path.islink(path):
                yield from self._folder(path, os.path.join(absolute + name, ""))

    def _look(self, path: str, name: str, start: int = 0, end: int = 0) -> BatchEntry:
        return BatchEntry(path, start, end) if self._table is None else self._table.entry(path, name, start, end)

    def _archive(self, name: str) -> Iterator[Batch | ByteRange]:
        read = tar_batches if is_tar(name) else parquet_batches
        return read(name, self._look, self._piece, self._limits)

    def _remote(self, url: str) -> Iterator[BatchEntry | Batch | ByteRange]:
        library = fsspec()
        if (is_tar(url) or is_parquet(url)) and "*" not in url:
            yield from self._archive(url)
            return
        if not url.endswith("/") and not glob.has_magic(url):
            yield self._look(url, url)
            return
        try:
            system, path = library.core.url_to_fs(url)
            names = system.glob(path) if glob.has_magic(url) else [n for n in system.find(path) if n.endswith(ENDINGS)]
            found = [system.unstrip_protocol(name) for name in names]
            if not found and not glob.has_magic(url):
                system.ls(path)  # raises with the reason, where find is silent
        except Exception as error:  # each kind of URL has its own errors
            yield BatchEntry(url, problem=unreachable(error, url))
            return
        if not found:
            yield BatchEntry(url, problem="nothing is there")
        folder = re.split(r"[*?[]", path, maxsplit=1)[0].rpartition("/")[0] if glob.has_magic(url) else path.rstrip("/")
        for each, name in zip(found, names, strict=True):
            inside = name.removeprefix(folder).lstrip("/")
            yield self._look(each, each if self._table is not None and each in self._table else inside)
