"""A child of the tests of interpreters: answers each line, and can die in several ways."""

import json
import os
import sys
import threading

from retick.audit.interpreter import job_and_streams


def main() -> None:
    job, lines_in, lines_out = job_and_streams()
    print("printed by the game")
    os.write(1, b"written by the game to its stdout\n")
    lines_out.write(json.dumps({"job": job, "stdin": sys.stdin.read(), "variable": os.environ.get("ECHO")}) + "\n")
    lines_out.flush()
    for line in lines_in:
        if line == "die\n":
            print("the last words", file=sys.stderr, flush=True)
            os._exit(7)
        if line == "hang\n":
            threading.Event().wait()
        lines_out.write(line)
        lines_out.flush()


if __name__ == "__main__":
    main()
