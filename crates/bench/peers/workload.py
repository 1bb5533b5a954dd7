"""The workload every contender runs, and the words in which it reports.

Twelve states with one durable step each that does nothing, and a question to a person after the
third. A contender is started with one of three verbs and a folder of its own:

    run FOLDER N    N whole workflows, one after the other, every question answered at once
    park FOLDER     one workflow, left waiting at its question
    resume FOLDER   in a new process, back to that question; then it is answered and runs to its end

and prints one JSON object on its last line.
"""

import json
import sys
import time

STEPS = 12
GATE_AFTER = 3


def peak_memory_kib():
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return None


def report(**facts):
    print(json.dumps({**facts, "peak_memory_kib": peak_memory_kib()}), flush=True)


def main(run, park, resume):
    """Calls the verb. Times leave out starting Python and its imports; the caller times the whole."""
    verb, folder, *rest = sys.argv[1:]
    begin = time.monotonic()
    if verb == "run":
        workflows = int(rest[0])
        seconds = run(folder, workflows)
        report(steps=workflows * STEPS, seconds=seconds)
    elif verb == "park":
        park(folder)
        report()
    elif verb == "resume":
        finish = resume(folder)
        seconds = time.monotonic() - begin
        finish()
        report(seconds=seconds)
    else:
        sys.exit(f"unknown verb {verb!r}: run, park or resume")
