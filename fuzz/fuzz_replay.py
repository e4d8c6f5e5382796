"""Fuzzes both replay readers: any bytes decode or raise DecodeError; any other exception is a bug.

    python fuzz/fuzz_replay.py                  a minute of mutations, a new seed each time
    python fuzz/fuzz_replay.py --seed 7 --count 100000
    python fuzz/fuzz_replay.py crash.bin ...    try these files

What decodes must also be the same after writing and reading again. In half of the mutations the CRCs of RTK blocks are
corrected afterwards, so that the checks after the CRC are reached too.
"""

import argparse
import random
import struct
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from retick import replay
from retick.errors import DecodeError

LIMITS = replay.ReadLimits(max_bytes=1 << 20, max_records=1 << 12)


def check(data: bytes) -> bool:
    """Whether ``data`` decodes; an exception other than DecodeError, or a failed round trip, is a bug and escapes."""
    try:
        found = replay.loads(data, limits=LIMITS)
    except DecodeError:
        return False
    again = replay.loads(replay.dumps(found), limits=replay.ReadLimits())
    assert again == found, "what was read is not the same after writing and reading again"
    try:
        assert not replay.loads(data, strict=True, limits=LIMITS).truncated
    except DecodeError:
        assert found.truncated, "the strict reader refuses a file that the lenient one calls complete"
    return True


def corpus() -> list[bytes]:
    rich = replay.Recorder(seed=3, num_players=3, input_size=1, local_players=(1,), block_frames=4, game_id="fuzz")
    rich.add_metadata("note", "x" * 100)
    for frame in range(10):
        rich.add_arrival(frame, 2, frame, 2)
        rich.add_frame((frame, 1, 2))
        rich.add_checksum(frame + 1, frame * 99)
    rich.finish(9 * 99)
    late = replay.Replay(seed=9, frames=bytes(400), start_frame=70, start_state=bytes(99), checkpoints={80: 5})
    plain = replay.Replay(seed=1, frames=[(2, 1)] * 20)
    return [rich.drain(), replay.dumps(late), replay.dumps(plain), replay.dumps(plain, format="rtk"), b"RPLK", b"RTK\n"]


def mutate(data: bytes, rng: random.Random) -> bytes:
    buffer = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(buffer) + 1)
        kind = rng.randrange(5)
        if kind == 0 and buffer:
            buffer[at % len(buffer)] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        elif kind == 1:
            del buffer[at : at + rng.choice((1, 4, 16))]
        elif kind == 2:
            buffer[at:at] = rng.randbytes(rng.choice((1, 4, 16)))
        elif kind == 3 and len(buffer) >= 4:
            at = rng.randrange(len(buffer) - 3)
            struct.pack_into("<I", buffer, at, rng.choice((0, 1, 2**31, 2**32 - 1, len(buffer))))
        else:
            start = rng.randrange(len(buffer) + 1)
            buffer[at:at] = buffer[start : start + rng.choice((16, 32, 64))]
    corrected = rng.random() < 0.5
    return correct_crcs(buffer) if corrected else bytes(buffer)


def correct_crcs(buffer: bytearray) -> bytes:
    """The file with right CRCs in its RTK blocks, up to the first block whose size is wrong."""
    at = 8
    while buffer.startswith(b"RTK\n") and at + 16 <= len(buffer):
        (size,) = struct.unpack_from("<I", buffer, at + 4)
        if at + 16 + size > len(buffer):
            break
        crc = zlib.crc32(buffer[at + 16 : at + 16 + size], zlib.crc32(buffer[at : at + 12]))
        struct.pack_into("<I", buffer, at + 12, crc)
        at += 16 + size
    return bytes(buffer)


def fuzz(seed: int, go_on: Callable[[int], bool], target: Callable[[bytes], bool] = check) -> tuple[int, int]:
    """Run mutations while ``go_on``; returns how many were run and how many decoded. A bug prints its bytes."""
    rng = random.Random(seed)
    seeds = corpus()
    count = decoded = 0
    while go_on(count):
        data = mutate(rng.choice(seeds), rng)
        try:
            decoded += target(data)
        except Exception as error:
            raise SystemExit(f"seed {seed}, case {count}: {type(error).__name__}: {error}\n{data.hex()}") from error
        count += 1
    return count, decoded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, help="mutations; without it, a minute of them")
    options = parser.parse_args()
    for path in options.files:
        print(f"{path}: {'decodes' if check(path.read_bytes()) else 'refused'}")
    if options.files:
        return
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    end = time.monotonic() + 60
    limit = options.count
    count, decoded = fuzz(seed, lambda n: time.monotonic() < end if limit is None else n < limit)
    print(f"seed {seed}: {count} cases, {decoded} decoded, no bug", file=sys.stderr)


if __name__ == "__main__":
    main()
