"""Small systems of objects, as programs of a page are: a particle filter, a calculator with its
parser, a bank, a queue of events, a cache, an adventure."""

import heapq
from collections import Counter, deque
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

import numpy as np


def systematic(weights, u):
    n = len(weights)
    positions = (np.arange(n) + u) / n
    cumulative = np.cumsum(weights)
    indexes = np.zeros(n, int)
    i, j = (0, 0)
    while i < n:
        if positions[i] < cumulative[j] or j == n - 1:
            indexes[i] = j
            i += 1
        else:
            j += 1
    return indexes


class ParticleFilter:

    def __init__(self, n, rng, process=0.1, sensor=0.5):
        self.n = n
        self.rng = rng
        self.process, self.sensor = (process, sensor)
        self.particles = rng.normal(0, 1, (n, 2))
        self.weights = np.full(n, 1.0 / n)
        self.resampled = 0
        self.history = []

    @property
    def neff(self):
        return 1.0 / np.sum(np.square(self.weights))

    def predict(self, control):
        self.particles[:, 0] += control * self.particles[:, 1]
        self.particles += self.rng.normal(0, self.process, self.particles.shape)

    def update(self, z):
        d = z - self.particles[:, 0]
        self.weights *= np.exp(-0.5 * (d / self.sensor) ** 2)
        self.weights += 1e-300
        self.weights /= self.weights.sum()

    def estimate(self):
        mean = np.average(self.particles, weights=self.weights, axis=0)
        var = np.average((self.particles - mean) ** 2, weights=self.weights, axis=0)
        return (mean, var)

    def step(self, control, z):
        self.predict(control)
        self.update(z)
        if self.neff < self.n / 2:
            idx = systematic(self.weights, self.rng.random())
            self.particles[:] = self.particles[idx]
            self.weights.fill(1.0 / self.n)
            self.resampled += 1
        mean, var = self.estimate()
        self.history.append((float(mean[0]), float(var[0])))


def particle_filter(zs, controls, rng):
    pf = ParticleFilter(20, rng)
    for z, c in zip(zs, controls):
        pf.step(c, z)
    return (pf.history, pf.resampled, pf.weights)


class Kind(Enum):
    NUM = auto()
    OP = auto()
    LP = auto()
    RP = auto()
    NAME = auto()
    END = auto()


class Token(NamedTuple):
    kind: Kind
    text: str
    pos: int


class ParseError(ValueError):

    def __init__(self, message, pos):
        super().__init__(f'{message} at {pos}')
        self.pos = pos


def tokenize(text):
    i = 0
    while i < len(text):
        c = text[i]
        if c.isspace():
            i += 1
            continue
        if c.isdigit() or c == '.':
            j = i
            while j < len(text) and (text[j].isdigit() or text[j] == '.'):
                j += 1
            yield Token(Kind.NUM, text[i:j], i)
            i = j
        elif c.isalpha():
            j = i
            while j < len(text) and text[j].isalnum():
                j += 1
            yield Token(Kind.NAME, text[i:j], i)
            i = j
        elif c in '+-*/^':
            yield Token(Kind.OP, c, i)
            i += 1
        elif c == '(':
            yield Token(Kind.LP, c, i)
            i += 1
        elif c == ')':
            yield Token(Kind.RP, c, i)
            i += 1
        else:
            raise ParseError(f'bad character {c!r}', i)
    yield Token(Kind.END, '', i)


class Calculator:
    PRECEDENCE = {'+': 1, '-': 1, '*': 2, '/': 2, '^': 3}
    FUNCTIONS = {'sin': np.sin, 'sqrt': np.sqrt, 'abs': abs, 'clip': lambda x: np.clip(x, 0, 1)}

    def __init__(self, text, **env):
        self.tokens = list(tokenize(text))
        self.at = 0
        self.env = env
        self.used = Counter()

    def peek(self):
        return self.tokens[self.at]

    def next(self):
        t = self.tokens[self.at]
        self.at += 1
        return t

    def expression(self, low=0):
        left = self.atom()
        while (op := self.peek()).kind is Kind.OP and self.PRECEDENCE[op.text] > low:
            self.next()
            p = self.PRECEDENCE[op.text]
            right = self.expression(p - 1 if op.text == '^' else p)
            match op.text:
                case '+':
                    left = left + right
                case '-':
                    left = left - right
                case '*':
                    left = left * right
                case '/':
                    if right == 0:
                        raise ZeroDivisionError(f'at {op.pos}')
                    left = left / right
                case '^':
                    left = left ** right
        return left

    def atom(self):
        t = self.next()
        if t.kind is Kind.NUM:
            return float(t.text) if '.' in t.text else int(t.text)
        elif t.kind is Kind.NAME:
            self.used[t.text] += 1
            if self.peek().kind is Kind.LP:
                fn = self.FUNCTIONS.get(t.text)
                if fn is None:
                    raise ParseError(f'no function {t.text}', t.pos)
                return fn(self.atom())
            try:
                return self.env[t.text]
            except KeyError as e:
                raise ParseError(f'no name {e.args[0]}', t.pos) from e
        elif t.kind is Kind.LP:
            v = self.expression()
            if self.next().kind is not Kind.RP:
                raise ParseError('expected )', t.pos)
            return v
        elif t.kind is Kind.OP and t.text == '-':
            return -self.expression(2)
        raise ParseError(f'unexpected {t.text!r}', t.pos)


def calculate(x, y):
    results = {}
    for text in ('x + y*2', '(x - 1) ^ 2 ^ 1', 'sin(x) + sqrt(abs(y))',
                 'x / y', '-x^2', 'q + 1', 'clip(x) * 3.5', '2 +* 3', '(x', 'x $ y'):
        try:
            c = Calculator(text, x=x, y=y)
            results[text] = (c.expression(), dict(c.used))
        except ParseError as e:
            results[text] = (str(e), e.pos, type(e.__cause__).__name__)
        except ZeroDivisionError as e:
            results[text] = ('div', str(e))
    return results


class InsufficientFunds(Exception):

    def __init__(self, account, amount):
        self.account, self.amount = (account, amount)
        super().__init__(account.name, amount)

    def __str__(self):
        return f'{self.account.name} lacks {self.amount:.2f}'


@dataclass
class Account:
    name: str
    balance: float = 0.0
    history: list = field(default_factory=list)

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError('amount must be positive')
        self.balance += amount
        self.history.append(('deposit', amount))

    def withdraw(self, amount):
        if amount > self.balance:
            raise InsufficientFunds(self, amount - self.balance)
        self.balance -= amount
        self.history.append(('withdraw', amount))


class Savings(Account):
    rate = 0.05

    def accrue(self, years):
        for _ in range(years):
            self.deposit(self.balance * self.rate)

    def withdraw(self, amount):
        fee = 1.0 if amount < 100 else 0.0
        super().withdraw(amount + fee)


class Bank:

    def __init__(self):
        self.accounts = {}
        self.log = []

    def __getitem__(self, name):
        return self.accounts[name]

    def __contains__(self, name):
        return name in self.accounts

    def open(self, cls, name, *args):
        if name in self:
            raise KeyError(name)
        self.accounts[name] = cls(name, *args)
        return self[name]

    def transfer(self, a, b, amount):
        try:
            self[a].withdraw(amount)
            try:
                self[b].deposit(amount)
            except Exception:
                self[a].deposit(amount)
                raise
        except InsufficientFunds as e:
            self.log.append(str(e))
            return False
        except (ValueError, KeyError) as e:
            self.log.append(repr(e))
            return False
        else:
            self.log.append(f'{a}->{b}: {amount:.2f}')
            return True
        finally:
            self.log.append(len(self.log))


def bank(amounts, start):
    b = Bank()
    b.open(Account, 'ann', start)
    b.open(Savings, 'bob', start * 2)
    done = [b.transfer(*(('ann', 'bob') if k % 2 else ('bob', 'ann')), a)
            for k, a in enumerate(amounts)]
    b['bob'].accrue(2)
    done.append(b.transfer('bob', 'zed', amounts[0]))
    done.append(b.transfer('ann', 'bob', -amounts[0]))
    print(f"{b['ann'].balance:.3f} {b['bob'].balance:.3f}")
    return (done, b.log, b['ann'], b['bob'].history)


def events(arrivals, service):
    queue = []
    counter = 0
    for a in arrivals:
        heapq.heappush(queue, (a, counter, 'arrive'))
        counter += 1
    busy = False
    waiting = deque()
    waits = []
    now = 0.0
    while queue:
        now, _, kind = heapq.heappop(queue)
        if kind == 'arrive':
            if busy:
                waiting.append(now)
            else:
                busy = True
                waits.append(0.0)
                heapq.heappush(queue, (now + service[len(waits) % len(service)], counter, 'leave'))
                counter += 1
        elif waiting:
            arrived = waiting.popleft()
            waits.append(now - arrived)
            heapq.heappush(queue, (now + service[len(waits) % len(service)], counter, 'leave'))
            counter += 1
        else:
            busy = False
    return (now, waits, np.mean(waits))


class Node:
    __slots__ = ('k', 'v', 'prev', 'next')

    def __init__(self, k, v):
        self.k, self.v, self.prev, self.next = (k, v, None, None)


class Cache:

    def __init__(self, cap):
        self.cap, self.map = (cap, {})
        self.head, self.tail = (Node(None, None), Node(None, None))
        self.head.next, self.tail.prev = (self.tail, self.head)
        self.hits = self.misses = 0

    def _remove(self, n):
        n.prev.next, n.next.prev = (n.next, n.prev)

    def _add(self, n):
        n.prev, n.next = (self.tail.prev, self.tail)
        self.tail.prev.next = n
        self.tail.prev = n

    def get(self, k, make):
        if k in self.map:
            n = self.map[k]
            self._remove(n)
            self._add(n)
            self.hits += 1
            return n.v
        self.misses += 1
        n = Node(k, make(k))
        self.map[k] = n
        self._add(n)
        if len(self.map) > self.cap:
            old = self.head.next
            self._remove(old)
            del self.map[old.k]
        return n.v


def cached(keys, cap):
    c = Cache(cap)
    out = []
    for k in keys:
        out.append(c.get(int(k), lambda q: q * q + cap))
    order = []
    n = c.head.next
    while n is not c.tail:
        order.append(n.k)
        n = n.next
    return (out, c.hits, c.misses, order)


class Room:

    def __init__(self, name):
        self.name, self.exits, self.items = (name, {}, set())


class Game:

    def __init__(self):
        self.rooms = {n: Room(n) for n in ('hall', 'attic', 'cave')}
        self.link('hall', 'up', 'attic')
        self.link('hall', 'down', 'cave')
        self.rooms['attic'].items |= {'lamp', 'rope'}
        self.here = self.rooms['hall']
        self.bag = set()
        self.turn = 0
    OPP = {'up': 'down', 'down': 'up'}

    def link(self, a, d, b):
        self.rooms[a].exits[d] = self.rooms[b]
        self.rooms[b].exits[self.OPP[d]] = self.rooms[a]

    def do(self, line):
        self.turn += 1
        verb, *rest = line.split()
        fn = getattr(self, 'do_' + verb, None)
        if fn is None:
            return f'what is {verb}?'
        try:
            return fn(*rest)
        except TypeError:
            return 'how?'

    def do_go(self, d):
        if d not in self.here.exits:
            return 'no way'
        if self.here.exits[d].name == 'cave' and 'lamp' not in self.bag:
            return 'dark'
        self.here = self.here.exits[d]
        return self.here.name

    def do_take(self, *items):
        got = self.here.items & set(items)
        self.bag |= got
        self.here.items -= got
        return ', '.join(sorted(got)) or 'nothing'

    def do_look(self):
        return f'{self.here.name}: {sorted(self.here.items)} {sorted(self.here.exits)}'
COMMANDS = ['go up', 'take lamp sword', 'look', 'go down', 'go down', 'dance', 'go', 'take', 'look']


def adventure(codes):
    g = Game()
    log = []
    for c in codes:
        log.append(g.do(COMMANDS[int(c) % len(COMMANDS)]))
        if g.here.name == 'cave':
            log.append('won')
            break
    return (log, g.turn, sorted(g.bag))


RNG = np.random.default_rng(3)
F, I = np.float64, np.int64

PROGRAMS = {
    particle_filter: [(np.array([1.0, 1.2, 1.5, 1.1]), np.array([0.1, 0.2, 0.1, 0.3]), RNG),
                      (np.array([5.0, -1.2]), np.array([0.1, 0.2]), RNG)],
    calculate: [(F(2), F(3)), (F(2), F(0)), (I(2), I(-3)), (2.0, 3.0)],
    bank: [(np.array([10.0, 120.0, 500.0, 3.0]), F(100)), (np.array([-10.0, 1.5, 50.0]), F(1))],
    events: [(np.array([0.0, 1.0, 1.5, 4.0]), np.array([1.0, 2.0, 0.5])),
             (np.array([3.0, 1.0]), np.array([0.1, 0.2, 0.5]))],
    cached: [(np.array([1, 2, 1, 3, 2, 4, 1]), 2), (np.array([5, 5, 1]), I(1))],
    adventure: [(np.array([0, 1, 2, 3, 4, 5]),), (np.array([4, 6, 7, 8, 0, 7, 5]),)],
}
"""Each program with arguments for several calls."""
