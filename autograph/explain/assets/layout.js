"use strict";
// Places nodes in layers, as Sugiyama, Tagawa and Toda describe (1981): by the longest path, ordered
// by the mean of the neighbours' places. A cluster is laid out by itself and is then one node. What
// would be much wider or higher than a window is broken, as text is: a layer into rows, and layers
// into columns.
const layout = (function () {
  const GAP = 18, RANK = 28, PAD = 10, HEAD = 20, THIN = 6, SWEEPS = 6, MOST = 6000, SHAPE = 1.6,
    WINDOW = 1600;
  const mean = (xs) => xs.reduce((a, b) => a + b, 0) / xs.length;

  // The chain of clusters around something, the outermost first; null is the whole graph.
  function chain(id, parents) {
    const found = [];
    for (let at = parents.get(id); at; at = parents.get(at)) found.unshift(at);
    return [null, ...found];
  }

  // Every edge belongs to the innermost cluster that holds both ends, between what it holds of them.
  function levels(graph, parents) {
    const of = new Map();
    graph.edges.forEach(([a, b], number) => {
      const left = [...chain(a, parents), a], right = [...chain(b, parents), b];
      let depth = 0;
      while (left[depth + 1] === right[depth + 1]) depth++;
      const edge = { from: left[depth + 1], to: right[depth + 1], number };
      if (edge.from === undefined || edge.to === undefined) return;
      if (!of.has(left[depth])) of.set(left[depth], []);
      of.get(left[depth]).push(edge);
    });
    return of;
  }

  function widest(all) {
    const widths = new Map();
    for (const v of all) widths.set(v.layer, (widths.get(v.layer) || 0) + v.width + GAP);
    return Math.max(0, ...widths.values());
  }

  // As early as can be, or as late, next to what uses it: whichever is narrower.
  function layered(items, edges) {
    const known = new Map(items.map((item, i) => [item.id, { item, i, layer: 0, from: [], to: [],
      width: item.width, height: item.height }]));
    const all = [...known.values()], kept = [];
    for (const edge of edges) {
      const a = known.get(edge.from), b = known.get(edge.to);
      if (a.i < b.i) kept.push([a, b, edge.number]); // items are in the order of the program
    }
    for (const [a, b] of kept) { a.to.push(b); b.from.push(a); }
    for (const v of all) v.layer = Math.max(0, ...v.from.map((u) => u.layer + 1));
    const early = widest(all), first = all.map((v) => v.layer);
    for (const v of [...all].reverse())
      if (v.to.length) v.layer = Math.min(...v.to.map((u) => u.layer)) - 1;
    if (widest(all) > early) all.forEach((v, i) => { if (v.from.length) v.layer = first[i]; });
    return { all, kept };
  }

  // Long edges go through thin places of their own, one in each layer.
  function threaded({ all, kept }) {
    const paths = new Map(), links = [];
    const many = kept.reduce((sum, [a, b]) => sum + b.layer - a.layer - 1, 0) > MOST;
    const link = (a, b) => links.push([a, b]);
    for (const [a, b, number] of kept) {
      const thin = [];
      for (let layer = a.layer + 1; !many && layer < b.layer; layer++)
        thin.push({ layer, width: THIN, height: 0, i: a.i });
      paths.set(number, thin);
      all.push(...thin);
      const steps = [a, ...thin, b];
      for (let k = 1; k < steps.length; k++) link(steps[k - 1], steps[k]);
    }
    for (const v of all) { v.above = []; v.below = []; }
    for (const [a, b] of links) { a.below.push(b); b.above.push(a); }
    return paths;
  }

  function ordered(layers) {
    for (const layer of layers) layer.sort((a, b) => a.i - b.i);
    const number = (layer) => layer.forEach((v, place) => { v.place = place; });
    layers.forEach(number);
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      const down = sweep % 2 === 0, side = down ? "above" : "below";
      for (const layer of down ? layers : [...layers].reverse()) {
        for (const v of layer)
          v.wish = v[side].length ? mean(v[side].map((u) => u.place)) : v.place;
        layer.sort((a, b) => a.wish - b.wish || a.place - b.place);
        number(layer);
      }
    }
  }

  const apart = (a, b) => (a.width + b.width) / 2 + (a.item && b.item ? GAP : GAP / 2);

  // The nearest places to those wished for: pushed apart from both ends, and the mean of the two.
  function spread(layer) {
    const left = [], right = [];
    layer.forEach((v, k) => {
      left[k] = k ? Math.max(v.wish, left[k - 1] + apart(layer[k - 1], v)) : v.wish;
    });
    for (let k = layer.length - 1; k >= 0; k--)
      right[k] = k < layer.length - 1
        ? Math.min(layer[k].wish, right[k + 1] - apart(layer[k], layer[k + 1])) : layer[k].wish;
    layer.forEach((v, k) => { v.x = (left[k] + right[k]) / 2; });
  }

  function placed(layers) {
    for (const layer of layers) {
      let x = 0;
      for (const v of layer) { v.wish = x + v.width / 2; x += v.width + GAP; }
      spread(layer);
    }
    for (let sweep = 0; sweep < 2 * SWEEPS; sweep++)
      for (const layer of sweep % 2 ? [...layers].reverse() : layers) {
        for (const v of layer) {
          const near = [...v.above, ...v.below];
          v.wish = near.length ? mean(near.map((u) => u.x)) : v.x;
        }
        spread(layer);
      }
    const height = (layer) => Math.max(0, ...layer.map((v) => v.height)) + RANK;
    const heights = layers.map(height), left = side(layers, Math.min, -1);
    const width = side(layers, Math.max, 1) - left + 2 * GAP;
    const most = columnHeight(width, heights.reduce((a, b) => a + b, 0));
    let y = 0, column = 0, highest = 0;
    layers.forEach((layer, number) => {
      if (y + heights[number] > most && y) { y = 0; column++; }
      for (const v of layer) {
        Object.assign(v, { x: v.x - left + column * width, y: y + (heights[number] - RANK) / 2,
          column });
      }
      y += heights[number];
      highest = Math.max(highest, y);
    });
    return { width, height: Math.max(0, highest - RANK) };
  }

  const side = (layers, of, sign) => of(...layers.flat().map((v) => v.x + sign * v.width / 2));

  // So high are columns: all that there is, unless they would be much higher than a window is.
  const columnHeight = (width, height) => height < 2 * Math.max(width, WINDOW) ? height
    : height / Math.round(Math.sqrt(SHAPE * height / width));

  // The layers, those in rows that are much wider than a window.
  function inRows(layers) {
    const area = layers.flat().reduce((sum, v) => sum + (v.width + GAP) * (v.height + RANK), 0);
    const most = Math.max(2 * WINDOW, Math.sqrt(SHAPE * area));
    return layers.flatMap((layer) => {
      const rows = [[]];
      let x = 0;
      for (const v of layer) {
        if (x + v.width > most && x) { rows.push([]); x = 0; }
        rows[rows.length - 1].push(v);
        x += v.width + GAP;
      }
      return rows;
    });
  }

  // The points between two that follow one another on an edge: around the columns, if theirs differ.
  function around(a, b, { width, height }) {
    if (a.column === b.column) return [];
    const right = (a.column + 1) * width - GAP, left = b.column * width - GAP;
    const below = { x: right, y: a.y + (a.height + RANK) / 2 };
    const above = { x: left, y: b.y - (b.height + RANK) / 2 };
    if (right === left) return [below, above];
    const bottom = height + RANK / 2;
    return [below, { x: right, y: bottom }, { x: left, y: bottom }, above];
  }

  // Places what a cluster holds around (0, 0) of its own; returns its size.
  function level(items, edges) {
    const made = layered(items, edges), paths = threaded(made), layers = [];
    const first = Math.min(0, ...made.all.map((v) => v.layer));
    for (const v of made.all) (layers[v.layer - first] ||= []).push(v);
    const full = [...layers].map((layer) => layer || []);
    ordered(full);
    const size = placed(inRows(full)), points = new Map();
    for (const [a, b, number] of made.kept) {
      const steps = [a, ...paths.get(number), b];
      points.set(number, steps.slice(1).flatMap((v, k) => [...around(steps[k], v, size), v])
        .slice(0, -1));
    }
    const width = Math.max(0, ...made.all.map((v) => v.x + v.width / 2));
    return { items: made.all.filter((v) => v.item), paths: points, width, height: size.height };
  }

  // nodes: {id, parent, width, height}; clusters: {id, parent}; edges: [id, id].
  return function (graph) {
    const parents = new Map([...graph.clusters, ...graph.nodes].map((x) => [x.id, x.parent]));
    const inside = new Map(), edges = levels(graph, parents), at = new Map(), lines = [];
    for (const x of graph.order) {
      if (!inside.has(x.parent || null)) inside.set(x.parent || null, []);
      inside.get(x.parent || null).push(x);
    }
    const sizes = new Map();
    function size(id) {
      const items = (inside.get(id) || []).map((x) => {
        if (!inside.has(x.id)) return x;
        const { width, height } = size(x.id);
        return { id: x.id, width: width + 2 * PAD, height: height + 2 * PAD + HEAD };
      });
      const made = level(items, edges.get(id) || []);
      sizes.set(id, made);
      return made;
    }
    function put(id, x, y) {
      const { items, paths } = sizes.get(id);
      for (const v of items) {
        at.set(v.item.id, { x: x + v.x, y: y + v.y, width: v.width, height: v.height });
        if (sizes.has(v.item.id))
          put(v.item.id, x + v.x - v.width / 2 + PAD, y + v.y - v.height / 2 + PAD + HEAD);
      }
      for (const [number, thin] of paths)
        lines[number] = thin.map((v) => ({ x: x + v.x, y: y + v.y }));
    }
    const { width, height } = size(null);
    put(null, PAD, PAD);
    graph.edges.forEach(([a, b], number) => {
      const from = at.get(a), to = at.get(b);
      lines[number] = [{ x: from.x, y: from.y + from.height / 2 }, ...(lines[number] || []),
        { x: to.x, y: to.y - to.height / 2 }];
    });
    return { at, lines, width: width + 2 * PAD, height: height + 2 * PAD };
  };
})();
