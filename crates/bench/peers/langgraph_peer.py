"""LangGraph with its SQLite checkpointer, `durability="sync"`: each step is on disk before the next."""

import operator
import os
import sqlite3
import time
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

import workload


class State(TypedDict):
    done: Annotated[int, operator.add]
    answer: str


def step(_state):
    return {"done": 1}


def gate(_state):
    return {"answer": interrupt("approve the design?")}


def graph(folder):
    # The saver's own default otherwise: WAL; `synchronous` stays FULL, so a commit is synced.
    connection = sqlite3.connect(os.path.join(folder, "langgraph.sqlite"), check_same_thread=False)
    builder = StateGraph(State)
    names = [f"state_{number}" for number in range(1, workload.STEPS + 1)]
    for name in names:
        builder.add_node(name, step)
    builder.add_node("gate", gate)
    order = names[: workload.GATE_AFTER] + ["gate"] + names[workload.GATE_AFTER :]
    for before, after in zip([START, *order], [*order, END]):
        builder.add_edge(before, after)
    return builder.compile(checkpointer=SqliteSaver(connection))


def thread(name):
    return {"configurable": {"thread_id": name}, "recursion_limit": 100}


def to_the_gate(compiled, name):
    compiled.invoke({"done": 0, "answer": ""}, thread(name), durability="sync")


def past_the_gate(compiled, name):
    final = compiled.invoke(Command(resume="approved"), thread(name), durability="sync")
    assert final == {"done": workload.STEPS, "answer": "approved"}, final


def run(folder, workflows):
    compiled = graph(folder)
    begin = time.monotonic()
    for number in range(workflows):
        to_the_gate(compiled, f"workflow-{number}")
        past_the_gate(compiled, f"workflow-{number}")
    return time.monotonic() - begin


def park(folder):
    to_the_gate(graph(folder), "parked")


def resume(folder):
    compiled = graph(folder)
    state = compiled.get_state(thread("parked"))
    assert state.next == ("gate",) and state.values["done"] == workload.GATE_AFTER, state
    return lambda: past_the_gate(compiled, "parked")


if __name__ == "__main__":
    workload.main(run, park, resume)
