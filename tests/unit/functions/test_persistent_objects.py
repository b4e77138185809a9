"""Objects that a program keeps from call to call, looked up by what only the run knows."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Node:
    def __init__(self, value: Any, following: Any = None) -> None:
        self.value, self.next = value, following
        self.left: Any = None
        self.right: Any = None


def inserted(node: Any, value: Any) -> Any:
    if node is None:
        return Node(value)
    if value < node.value:
        node.left = inserted(node.left, value)
    else:
        node.right = inserted(node.right, value)
    return node


class Account:
    def __init__(self, balance: Any) -> None:
        self.balance = balance


@dataclass(order=True)
class Event:
    time: float
    number: int


class Kept:
    """A tree, a stack, tables and lists of objects."""

    def __init__(self) -> None:
        self.root: Any = None
        self.head: Any = None
        self.count = 0
        self.table: dict[Any, Account] = {}
        self.accounts = [Account(1.0), Account(2.0)]
        self.named = {0: Account(1.0), 1: Account(2.0)}
        self.events: list[Event] = []

    def add_to_tree(self, i: Any, x: Any) -> Any:
        self.root = inserted(self.root, x)
        self.count += 1
        return self.count

    def push(self, i: Any, x: Any) -> Any:
        if x > 1:
            self.head = Node(x, self.head)
            self.count += 1
        return self.count

    def pay_in(self, i: Any, x: Any) -> Any:
        if i not in self.table:
            self.table[i] = Account(0.0)
        self.table[i].balance += x
        return self.table[i].balance

    def pay_into_list(self, i: Any, x: Any) -> Any:
        self.accounts[i].balance += x
        return self.accounts[0].balance

    def read_from_list(self, i: Any, x: Any) -> Any:
        self.accounts[0].balance += x
        return self.accounts[i].balance

    def pay_into_dict(self, i: Any, x: Any) -> Any:
        self.named[i].balance += x
        return self.named[1].balance

    def wait(self, i: Any, x: Any) -> Any:
        heapq.heappush(self.events, Event(x, len(self.events)))
        return heapq.heappop(self.events).time if len(self.events) > 2 else -1.0


METHODS = ["add_to_tree", "push", "pay_in", "pay_into_list", "read_from_list", "pay_into_dict",
           "wait"]
CALLS = [(1, 2.0), (0, 3.0), (1, 4.0), (0, 0.5)]


def outcomes(name: str, convert: Callable[[Any], Any]) -> list[str]:
    kept = Kept()
    method, found = convert(getattr(kept, name)), []
    for i, x in CALLS:
        result = method(np.int64(i), np.float64(x))
        found.append(f"{result!r}; left {described(kept)}")
    return found


def described(x: Any) -> Any:
    if isinstance(x, dict):
        return {repr(k): described(v) for k, v in x.items()}
    if isinstance(x, list):
        return list(map(described, x))
    return described(vars(x)) if hasattr(x, "__dict__") else repr(x)


@pytest.mark.parametrize("executor", ["python", "interpreter"])
@pytest.mark.parametrize("name", METHODS)
def test_like_plain(name: str, executor: str) -> None:
    def convert(f: Any) -> Any:
        return ag.function(f, executor=executor)

    assert outcomes(name, convert) == outcomes(name, lambda f: f)


def many_accounts(name: str, convert: Callable[[Any], Any]) -> tuple[Any, list[Any]]:
    kept = Kept()
    kept.accounts = [Account(float(i)) for i in range(40)]
    return convert(getattr(kept, name))(np.int64(3), np.float64(1)), [
        a.balance for a in kept.accounts]


def test_of_many_objects_one_is_read() -> None:
    expected = many_accounts("read_from_list", lambda f: f)
    assert many_accounts("read_from_list", ag.function) == expected


def test_of_many_objects_one_is_changed() -> None:
    expected = many_accounts("pay_into_list", lambda f: f)
    assert many_accounts("pay_into_list", ag.function) == expected
