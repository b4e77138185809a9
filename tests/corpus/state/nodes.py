"""Nodes, events and tasks: objects of the user's classes that only the run knows."""

import heapq
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from tests.corpus.case import Case


class Node:
    def __init__(self, value):
        self.value = value
        self.left = None
        self.right = None


def insert(node, value):
    if node is None:
        return Node(value)
    if value < node.value:
        node.left = insert(node.left, value)
    else:
        node.right = insert(node.right, value)
    return node


def in_order(node, out):
    if node is None:
        return
    in_order(node.left, out)
    out.append(node.value)
    in_order(node.right, out)


def search_tree(x):
    root = None
    for v in x:
        root = insert(root, v)
    out = []
    in_order(root, out)
    return out


def depth_of_tree(x):
    root = Node(x[0])
    for v in x[1:]:
        here = root
        while True:
            if v < here.value:
                if here.left is None:
                    here.left = Node(v)
                    break
                here = here.left
            else:
                if here.right is None:
                    here.right = Node(v)
                    break
                here = here.right
    depth, stack = 0, [(root, 1)]
    while stack:
        node, level = stack.pop()
        if node is not None:
            depth = max(depth, level)
            stack.append((node.left, level + 1))
            stack.append((node.right, level + 1))
    return depth


class Cell:
    def __init__(self, data, following=None):
        self.data = data
        self.next = following


def linked(x):
    head = None
    for v in x:
        if v > 1:
            head = Cell(v, head)
    out = []
    while head is not None:
        out.append(head.data)
        head = head.next
    return out


def reversed_list(x):
    head, before, total, k = None, None, 0, 1
    for v in x:
        head = Cell(v, head)
    while head:
        head.next, before, head = before, head, head.next
    while before:
        total += k * before.data
        k += 1
        before = before.next
    return total


@dataclass(order=True)
class Event:
    time: float
    kind: str = field(compare=False)


def one_server(gaps, service):
    events, t = [], 0.0
    for gap in gaps:
        t += gap
        heapq.heappush(events, Event(float(t), "arrive"))
    waiting, busy, served, log = 0, False, 0, []
    while events:
        event = heapq.heappop(events)
        if event.kind == "arrive":
            if busy:
                waiting += 1
            else:
                busy = True
                heapq.heappush(events, Event(event.time + service, "leave"))
        else:
            served += 1
            if waiting:
                waiting -= 1
                heapq.heappush(events, Event(event.time + service, "leave"))
            else:
                busy = False
        log.append((event.kind, event.time, waiting))
    return served, log


@dataclass
class Task:
    name: int
    done: bool = False
    needs: list = field(default_factory=list)


def schedule(count, edges):
    tasks = [Task(i) for i in range(count)]
    for a, b in edges:
        tasks[b].needs.append(tasks[a])
    order = []
    while len(order) < len(tasks):
        for task in tasks:
            if not task.done and all(need.done for need in task.needs):
                task.done = True
                order.append(task.name)
                break
    return order


class Place:
    def __init__(self, key):
        self.key = key
        self.roads = []
        self.seen = False


class Map:
    def __init__(self):
        self.places = {}

    def at(self, key):
        if key not in self.places:
            self.places[key] = Place(key)
        return self.places[key]


def reachable(edges, start):
    places = Map()
    for a, b in edges:
        places.at(a).roads.append(places.at(b))
    waiting, order = deque([places.at(start)]), []
    while waiting:
        place = waiting.popleft()
        if place.seen:
            continue
        place.seen = True
        order.append(place.key)
        for other in place.roads:
            waiting.append(other)
    return order


class Trie:
    def __init__(self):
        self.children = {}
        self.end = False


def in_trie(words, word):
    root = Trie()
    for row in words:
        node = root
        for letter in row:
            if letter not in node.children:
                node.children[letter] = Trie()
            node = node.children[letter]
        node.end = True
    node = root
    for letter in word:
        if letter not in node.children:
            return False
        node = node.children[letter]
    return node.end


class Member:
    def __init__(self, key):
        self.parent = self
        self.key = key


def groups(edges, count):
    members = [Member(i) for i in range(count)]

    def leader(member):
        while member.parent is not member:
            member = member.parent
        return member

    for a, b in edges:
        first, second = leader(members[a]), leader(members[b])
        if first is not second:
            first.parent = second
    return len({leader(member).key for member in members})


class Link:
    def __init__(self, value, after=None):
        self.value = value
        self.after = after

    def __repr__(self):
        return f"{self.value}, {self.after!r}"


def turned_round(link):
    """The arguments alone hold the links after the first one."""
    before = None
    while link:
        after = link.after
        link.after = before
        before = link
        link = after
    return True


CHAIN, SHORTER = Link("a", Link("b", Link("c", Link("d")))), Link("a", Link("b"))

A, B = np.array([3, 1, 2, 5, 4]), np.array([1, 2, 3, 4, 5])
EDGES, OTHERS = np.array([[0, 1], [1, 2], [0, 3]]), np.array([[3, 2], [2, 1], [1, 0]])

CASES = [
    *[Case(f, (A,), (B,)) for f in (search_tree, depth_of_tree, linked, reversed_list)],
    Case(one_server, (np.array([1.0, 2.0, 0.5]), 2.0), (np.array([1.0, 0.1, 0.1]), 2.0)),
    Case(schedule, (4, EDGES), (4, OTHERS)),
    Case(reachable, (EDGES, np.int64(0)), (OTHERS, np.int64(3))),
    Case(in_trie, (np.array([[1, 2], [1, 3]]), np.array([1, 3])),
         (np.array([[1, 2], [1, 3]]), np.array([2, 3]))),
    Case(groups, (EDGES, 5), (OTHERS, 5)),
    Case(turned_round, (CHAIN,), (SHORTER,)),
]
