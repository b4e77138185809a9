"""Queues, stacks and heaps that go along with a stream of values."""

import bisect
import heapq
from collections import deque

import numpy as np

from tests.corpus.case import Case


def sliding_max(x, k):
    q = deque()
    out = []
    for i in range(len(x)):
        while q and x[q[-1]] <= x[i]:
            q.pop()
        q.append(i)
        if q[0] <= i - k:
            q.popleft()
        if i >= k - 1:
            out.append(x[q[0]])
    return np.array(out)


def next_greater(x):
    out = np.full(len(x), -1)
    stack = []
    for i in range(len(x)):
        while stack and x[stack[-1]] < x[i]:
            out[stack.pop()] = x[i]
        stack.append(i)
    return out


def merge_sorted(a, b):
    out = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    out.extend(a[i:])
    out.extend(b[j:])
    return out


def josephus(n, k):
    people = list(range(1, n + 1))
    i = 0
    order = []
    while len(people) > 1:
        i = (i + k - 1) % len(people)
        order.append(people.pop(i))
    return order, people[0]


def median_stream(x):
    lo, hi = [], []
    out = []
    for v in x:
        heapq.heappush(lo, -heapq.heappushpop(hi, v))
        if len(lo) > len(hi):
            heapq.heappush(hi, -heapq.heappop(lo))
        out.append(float(hi[0]) if len(hi) > len(lo) else (hi[0] - lo[0]) / 2)
    return out


def k_smallest(x, k):
    h = []
    for v in x:
        if len(h) < k:
            heapq.heappush(h, -v)
        elif -h[0] > v:
            heapq.heapreplace(h, -v)
    return sorted(-v for v in h)


def simulates_queue(arrivals, service):
    q = deque()
    t = 0.0
    waits = []
    for a in arrivals:
        q.append(a)
    while q:
        a = q.popleft()
        t = max(t, a)
        waits.append(t - a)
        t += service
    return np.mean(waits)


def event_sim(times):
    events = []
    for i, t in enumerate(times):
        heapq.heappush(events, (float(t), i))
    log = []
    while events and len(log) < 12:
        t, i = heapq.heappop(events)
        log.append((round(t, 3), i))
        if t < 3.0:
            heapq.heappush(events, (t * 1.5 + 0.5, i + 10))
    return log


def run_lengths(x):
    out = []
    for v in x:
        if out and out[-1][0] == v:
            out[-1][1] += 1
        else:
            out.append([v, 1])
    return out


def intervals(x):
    iv = sorted((int(a), int(b)) for a, b in x)
    out = [list(iv[0])]
    for a, b in iv[1:]:
        if a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return out


def longest_increasing(x):
    tails = []
    for v in x:
        i = bisect.bisect_left(tails, v)
        if i == len(tails):
            tails.append(v)
        else:
            tails[i] = v
    return len(tails), tails


def heap_objects(x):
    h = []
    for i, v in enumerate(x):
        heapq.heappush(h, (v, i, {"id": i}))
    out = []
    while h:
        v, i, o = heapq.heappop(h)
        out.append(o["id"])
    return out


def ring(x, n):
    q = deque(maxlen=3)
    means = []
    for v in x:
        q.append(v)
        means.append(sum(q) / len(q))
    q.rotate(1)
    return means, list(q), q[n]


def reverse_polish(tokens, x):
    stack = []
    for t in tokens:
        if t == "+":
            b, a = stack.pop(), stack.pop()
            stack.append(a + b)
        elif t == "*":
            b, a = stack.pop(), stack.pop()
            stack.append(a * b)
        else:
            stack.append(x[int(t)])
    return stack.pop()


def brackets(codes):
    stack = []
    pairs = {2: 1, 4: 3}
    for c in codes:
        c = int(c)
        if c in pairs:
            if not stack or stack.pop() != pairs[c]:
                return False
        else:
            stack.append(c)
    return not stack


def insertion_list(x):
    out = []
    for v in x:
        i = 0
        while i < len(out) and out[i] < v:
            i += 1
        out.insert(i, v)
    return out


def quick_select(x, k):
    items = list(x)
    while True:
        p = items[0]
        lo = [v for v in items if v < p]
        hi = [v for v in items if v > p]
        if k < len(lo):
            items = lo
        elif k >= len(items) - len(hi):
            k -= len(items) - len(hi)
            items = hi
        else:
            return p


CASES = [
    Case(sliding_max, (np.array([1, 3, 2, 5, 4]), 3), (np.array([9, 3, 2, 1, 0]), 3)),
    Case(next_greater, (np.array([1, 3, 2, 5, 4]), ), (np.array([9, 3, 2, 1, 0]), )),
    Case(merge_sorted, (np.array([1, 3, 5]), np.array([2, 4])),
         (np.array([1, 2, 3]), np.array([4, 5]))),
    Case(josephus, (np.int64(7), np.int64(3)), (np.int64(5), np.int64(2))),
    Case(median_stream, (np.array([5, 1, 3]), ), (np.array([1, 2, 3]), )),
    Case(k_smallest, (np.array([5, 1, 3, 2]), 2), (np.array([1, 2, 3, 4]), 2)),
    Case(simulates_queue, (np.array([0.0, 1, 2]), 1.5), (np.array([0.0, 5, 9]), 1.5)),
    Case(event_sim, (np.array([0.0, 1, 2]), ), (np.array([7.0, 5, 9]), )),
    Case(run_lengths, (np.array([1, 1, 2]), ), (np.array([1, 2, 3]), )),
    Case(intervals, (np.array([[1, 3], [2, 5], [7, 8]]), ), (np.array([[1, 2], [3, 5], [7, 8]]), )),
    Case(longest_increasing, (np.array([3, 1, 2, 5, 4]), ), (np.array([5, 4, 3, 2, 1]), )),
    Case(heap_objects, (np.array([2, 1, 3]), ), (np.array([4, 5, 6]), )),
    Case(ring, (np.array([1.0, 2, 3, 4]), np.int64(0)), (np.array([1.0, 2, 3, 4]), np.int64(5))),
    Case(reverse_polish, (["0", "1", "+", "2", "*"], np.array([1.0, 2, 3])),
         (["0", "1", "+", "2", "*"], np.array([4.0, 2, 3]))),
    Case(brackets, (np.array([1, 3, 4, 2]), ), (np.array([1, 3, 2, 4]), )),
    Case(insertion_list, (np.array([3, 1, 2]), ), (np.array([1, 2, 3]), )),
    Case(quick_select, (np.array([3, 1, 2, 5, 4]), np.int64(2)),
         (np.array([3, 1, 2, 5, 4]), np.int64(0))),
]
