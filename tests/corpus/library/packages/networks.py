"""Programs with networkx: graphs that are built, searched and changed inside a function."""

import networkx as nx
import numpy as np


def _near(x, limit=2.0):
    g = nx.Graph()
    g.add_nodes_from(range(len(x)))
    for i in range(len(x)):
        for j in range(i):
            if abs(x[i] - x[j]) < limit:
                g.add_edge(i, j, weight=abs(x[i] - x[j]))
    return g


def shortest(x):
    g = _near(x)
    if nx.has_path(g, 0, 5):
        return nx.dijkstra_path(g, 0, 5), nx.dijkstra_path_length(g, 0, 5)
    return None


def components(x):
    return [sorted(c) for c in nx.connected_components(_near(x, 1.2))]


def no_path(x):
    return nx.shortest_path(_near(x, 1.0), 0, 1)


def no_path_caught(x):
    try:
        return nx.shortest_path(_near(x, 1.0), 0, 1)
    except nx.NetworkXNoPath as e:
        return str(e)


def spanning_tree(x):
    g = nx.complete_graph(6)
    for i, j in g.edges:
        g.edges[i, j]["weight"] = abs(x[i] - x[j])
    t = nx.minimum_spanning_tree(g)
    return sorted(t.edges), t.size(weight="weight")


def degrees(x):
    g = _near(x)
    return [n for n, d in g.degree if d > 2], dict(g.degree)


def attributes(x):
    g = nx.Graph()
    for i, v in enumerate(x):
        g.add_node(i, value=v, big=v > 2)
    big = [n for n, d in g.nodes(data=True) if d["big"]]
    total = 0.0
    for n in big:
        total += g.nodes[n]["value"]
    return big, total


def ranked(x):
    g = nx.DiGraph()
    for i in range(6):
        g.add_edge(i, int(abs(x[i])) % 6)
    r = nx.pagerank(g)
    return max(r, key=r.get), round(sum(r.values()), 6)


def order(x):
    g = nx.DiGraph([(0, 1), (1, 2), (3, 1)])
    if x[0] < 0:
        g.add_edge(2, 3)
    try:
        return list(nx.topological_sort(g))
    except nx.NetworkXUnfeasible:
        return "cycle", nx.find_cycle(g)


def flow(x):
    g = nx.DiGraph()
    for a, b, c in ((0, 1, 0), (0, 2, 1), (1, 3, 2), (2, 3, 3), (1, 2, 4)):
        g.add_edge(a, b, capacity=abs(x[c]))
    value, parts = nx.maximum_flow(g, 0, 3)
    return value, parts[0] if value > 1 else None


def walked(x):
    g = nx.path_graph(6)
    found = []
    for a, b in nx.bfs_edges(g, 2):
        if x[a] < x[b]:
            found.append((a, b))
    return found


def pruned(x):
    g = _near(x)
    while True:
        leaves = [n for n in g.nodes if g.degree(n) <= 1]
        if not leaves:
            break
        g.remove_nodes_from(leaves)
    return sorted(g.nodes), g.number_of_edges()


def own_weight(x):
    g = nx.cycle_graph(6)

    def cost(u, v, d):
        if x[u] > x[v]:
            return 1.0
        return 1.0 + x[v] - x[u]

    return nx.dijkstra_path(g, 0, 3, weight=cost)


def guided(x):
    g = nx.grid_2d_graph(3, 3)
    if x[0] > 0:
        g.remove_node((1, 1))
    return nx.astar_path(g, (0, 0), (2, 2), lambda a, b: abs(a[0] - b[0]) + abs(a[1] - b[1]))


def matrix(x):
    g = _near(x)
    a = nx.to_numpy_array(g)
    return a, np.linalg.eigvalsh(nx.laplacian_matrix(g).toarray()).round(6)


def matched(x):
    return sorted(tuple(sorted(e)) for e in nx.max_weight_matching(_near(x, 4)))


def cliques(x):
    return sorted(sorted(c) for c in nx.find_cliques(_near(x)))


def coloured(x):
    c = nx.greedy_color(_near(x), strategy="largest_first")
    return max(c.values()) + 1, {k: c[k] for k in sorted(c)}


def given_graph(g, x):
    for a, b in list(g.edges):
        if x[a] > x[b]:
            g.remove_edge(a, b)
        else:
            g[a][b]["d"] = x[b] - x[a]
    return nx.number_connected_components(g)


def numbered_by_values(x):
    g = nx.Graph()
    for a, b in zip(x, x[1:]):
        g.add_edge(a, b)
    return sorted(g.nodes), list(g.neighbors(x[0]))


def drawn_at_random(x):
    g = nx.gnp_random_graph(6, 0.5, seed=int(abs(x[0])))
    return sorted(g.edges), nx.is_connected(g)


SETS = {"given_graph": [(nx.cycle_graph(4), np.array(v)) for v in (
    [1.0, 2, 3, 4], [4.0, 3, 2, 1], [1.0, 5, 2, 3])]}
