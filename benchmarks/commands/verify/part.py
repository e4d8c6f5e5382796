"""One part of ``python -m benchmarks verify --matches``, in its own process with its own memory and CPU time."""

# retick: floats -- times

import importlib
import json
import resource
import sys
import time
from collections import Counter
from pathlib import Path

from retick.cli.terminal import say_json
from retick.verify import Run
from retick.verify.manifest import pyarrow
from retick.verify.ray import store_bytes

__all__ = ["run_part"]


def run_part(source: str, manifest: str, engine: str, warm: str = "") -> dict[str, float]:
    """Matches, seconds, CPU seconds and MiB; ``warm`` is run before, for an engine that starts slowly."""
    verdicts: Counter[str] = Counter()
    if source.endswith(".parquet"):
        pyarrow("pyarrow.parquet")  # a quarter of a second that does not grow with the matches
    with_manifest = manifest or None
    if engine == "ray":  # started here, it stays for both runs: start-up is no part of the figure
        importlib.import_module("ray").init(
            object_store_memory=store_bytes(), include_dashboard=False, log_to_driver=False, configure_logging=False
        )
    if warm:
        for _ in Run([warm], "retick.fighter", engine=engine, manifest=with_manifest):
            pass
    started, cpu = time.perf_counter(), time.process_time()
    run = Run([source], "retick.fighter", engine=engine, manifest=with_manifest)  # reads the manifest, too
    for rows in run.batches():
        verdicts.update([row[1] for row in rows])
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    return {"matches": verdicts.total(), "ok": verdicts["ok"], "seconds": seconds, "cpu": cpu, "mib": _peak_mib()}


def _peak_mib() -> float:
    """Peak memory of this process; on Linux ``ru_maxrss`` would include its parent's."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    say_json(run_part(*json.loads(sys.argv[1])))
