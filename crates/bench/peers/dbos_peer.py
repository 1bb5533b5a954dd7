"""DBOS with SQLite as its system database; the question is a `recv` that somebody else answers."""

import os
import threading
import time

from dbos import DBOS, SetWorkflowID

import workload

at_the_gate = threading.Event()


@DBOS.step()
def step(_number):
    return None


@DBOS.workflow()
def delivery():
    for number in range(workload.GATE_AFTER):
        step(number)
    at_the_gate.set()
    answer = DBOS.recv("approve", timeout_seconds=3600)
    for number in range(workload.GATE_AFTER, workload.STEPS):
        step(number)
    return answer


def launch(folder):
    DBOS(
        config={
            "name": "tollgate-bench",
            "system_database_url": f"sqlite:///{os.path.join(folder, 'dbos.sqlite')}",
            "application_version": "1",
            "executor_id": "bench",
            "log_level": "ERROR",
        }
    )
    DBOS.launch()


def start(name):
    with SetWorkflowID(name):
        return DBOS.start_workflow(delivery)


def run(folder, workflows):
    launch(folder)
    begin = time.monotonic()
    for number in range(workflows):
        handle = start(f"workflow-{number}")
        # Answered before it is asked: the kindest order for DBOS, which else waits for its next poll.
        DBOS.send(f"workflow-{number}", "approved", "approve")
        assert handle.get_result() == "approved"
    return time.monotonic() - begin


def park(folder):
    launch(folder)
    start("parked")
    assert at_the_gate.wait(60)
    leave()


def resume(folder):
    # Launching recovers what was pending: the steps done before are read back, not run again.
    # It goes through an internal queue that is looked at once a second, which is most of the time.
    launch(folder)
    assert at_the_gate.wait(60)
    return finish


def finish():
    DBOS.send("parked", "approved", "approve")
    assert DBOS.retrieve_workflow("parked").get_result() == "approved"


def leave():
    """Ends the process while the workflow waits: a clean shutdown would wait for its answer."""
    time.sleep(0.2)
    workload.report()
    os._exit(0)


if __name__ == "__main__":
    workload.main(run, park, resume)
    os._exit(0)
