"use strict";
// Draws the boxes of a graph as nodes and arrows, with pan and zoom.
(function () {
  const LIMIT = 2000; // more are a thicket
  const { $, $$, words, byLine, index } = page;

  let view = null; // the part of the drawing that is shown: x, y, width, height

  function look() {
    const svg = $(".drawing svg");
    if (svg) svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  }

  function fit() {
    const svg = $(".drawing svg");
    if (!svg) return;
    view = { x: 0, y: 0, width: +svg.dataset.width, height: +svg.dataset.height };
    look();
  }

  // Zooms around a point of the window, or the middle.
  function zoom(by, clientX, clientY) {
    const svg = $(".drawing svg");
    if (!svg) return;
    const box = svg.getBoundingClientRect(), scale = pixel(box);
    const dx = clientX === undefined ? 0 : (clientX - box.x - box.width / 2) * scale;
    const dy = clientY === undefined ? 0 : (clientY - box.y - box.height / 2) * scale;
    const x = view.x + view.width / 2 + dx, y = view.y + view.height / 2 + dy;
    view.width /= by;
    view.height /= by;
    view.x = x - dx / by - view.width / 2;
    view.y = y - dy / by - view.height / 2;
    look();
  }

  const pixel = (box) => Math.max(view.width / box.width, view.height / box.height);

  function movable(svg) {
    let from = null;
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX, event.clientY);
    }, { passive: false });
    svg.addEventListener("pointerdown", (event) => {
      from = { x: event.clientX, y: event.clientY, view: { ...view } };
    });
    svg.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons) return;
      const scale = pixel(svg.getBoundingClientRect());
      view.x = from.view.x - (event.clientX - from.x) * scale;
      view.y = from.view.y - (event.clientY - from.y) * scale;
      look();
    });
    svg.addEventListener("pointerup", () => { from = null; });
  }

  const TOOLS = ["larger", "smaller", "fit"];

  function close() {
    const drawing = $(".drawing");
    if (!drawing) return false;
    for (const node of $$(".node[data-l]", drawing)) {
      const list = byLine.get(node.dataset.l);
      if (list) list.splice(list.indexOf(node), 1);
    }
    drawing.remove();
    for (const e of $$(".boxes")) e.hidden = false;
    $("main").classList.remove("drawn");
    $("#draw").textContent = "Draw";
    for (const id of TOOLS) document.getElementById(id).hidden = true;
    return true;
  }

  function draw() {
    if (!page.currentTrace() || close()) return;
    redraw();
  }

  function redraw() {
    close();
    const trace = page.currentTrace(), boxes = $(".boxes", trace);
    const graph = collect($(".ag-graph", boxes));
    const place = document.createElement("div");
    place.className = "drawing";
    boxes.hidden = true;
    trace.append(place);
    $("#draw").textContent = "Boxes";
    if (graph.nodes.length > LIMIT) {
      const p = document.createElement("p");
      p.className = "error";
      p.textContent = graph.nodes.length + " nodes are too many to draw. Read the boxes, or close " +
        "loops and branches first.";
      place.append(p);
      return;
    }
    for (const id of TOOLS) document.getElementById(id).hidden = false;
    $("main").classList.add("drawn");
    place.textContent = "Drawing " + graph.nodes.length + " nodes …";
    layoutOf(graph, (made) => {
      if (!place.isConnected) return; // it was closed meanwhile
      place.replaceChildren(svgOf(graph, made));
      movable($("svg", place));
      fit();
      index(place);
    });
  }

  // Lays a graph out in a worker, so that the page stays alive; here, where none can be started.
  function layoutOf(graph, done) {
    const bare = ({ id, parent, width, height }) => ({ id, parent, width, height });
    const data = { nodes: graph.nodes.map(bare), clusters: graph.clusters.map(bare),
      edges: graph.edges, order: graph.order.map(bare) };
    const text = $("#layout").textContent + "\nonmessage = (e) => postMessage(layout(e.data));";
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    let worker = null;
    const end = (made) => {
      if (worker) worker.terminate();
      URL.revokeObjectURL(url);
      done(made);
    };
    try {
      worker = new Worker(url);
      worker.onmessage = (event) => end(event.data);
      worker.onerror = (event) => { event.preventDefault(); end(layout(data)); };
      worker.postMessage(data);
    } catch (error) {
      end(layout(data));
    }
  }

  // The boxes as nodes, clusters and edges. Closed regions are one node each. If there are too
  // many nodes, regions are taken as closed, the innermost first.
  function collect(root) {
    const all = collectTo(root, Infinity), fits = (graph) => graph.nodes.length <= LIMIT;
    if (fits(all)) return all;
    let least = 0, most = all.depth; // the first may do, the second does not
    while (most - least > 1) {
      const middle = (least + most) >> 1;
      if (fits(collectTo(root, middle))) least = middle; else most = middle;
    }
    return collectTo(root, least);
  }

  function collectTo(root, limit) {
    const nodes = [], clusters = [], edges = [], order = [], made = new Map();
    let depth = 0;
    const node = (e, text, parent, kind) => {
      const id = "n" + nodes.length;
      const shown = short(text);
      nodes.push({ id, text: shown, parent, kind, line: e.dataset.l, title: e.title, e,
        width: shown.length * 6.7 + 14, height: 22 });
      order.push(nodes[nodes.length - 1]);
      return id;
    };
    const define = (e, id) => { for (const name of words(e.dataset.def)) made.set(name, id); };
    const use = (e, id) => {
      for (const name of new Set(words(e.dataset.use)))
        if (made.has(name) && made.get(name) !== id) edges.push([made.get(name), id]);
    };
    const inside = (e, parent, level) => { for (const c of [...e.children]) visit(c, parent, level); };
    function visit(e, parent, level) {
      if (e.tagName === "DETAILS") return fold(e, parent, level);
      if (e.classList.contains("head") && !e.dataset.def) return null;
      if (e.classList.contains("last") && !e.dataset.use) return null;
      const port = e.classList.contains("head") || e.classList.contains("last");
      if (!port && !e.classList.contains("eq")) return inside(e, parent, level);
      const id = node(e, e.textContent, parent, port ? "port" : "");
      use(e, id);
      define(e, id);
      return id;
    }
    function fold(e, parent, level) {
      const head = $(".eq", e.firstElementChild) || e.firstElementChild;
      depth = Math.max(depth, level + 1);
      if (!e.open || level + 1 > limit) {
        const id = node(head, head.textContent, parent, "closed");
        for (const inner of $$("[data-use]", e)) use(inner, id);
        for (const inner of $$("[data-def]", e)) define(inner, id);
        return;
      }
      const cluster = "c" + clusters.length;
      clusters.push({ id: cluster, parent, text: e.className || head.textContent, e });
      order.push(clusters[clusters.length - 1]);
      const start = node(head, head.textContent.replace(/^.*? = /s, ""), cluster, "");
      use(head, start);
      const ends = [];
      for (const region of e.children) {
        if (region === e.firstElementChild) continue;
        if (!region.classList.contains("region")) { visit(region, cluster, level + 1); continue; }
        const inner = "c" + clusters.length;
        const role = $(".role", region);
        clusters.push({ id: inner, parent: cluster, text: role ? role.textContent : "", e: null });
        order.push(clusters[clusters.length - 1]);
        const first = nodes.length;
        inside(region, inner, level + 1);
        if (nodes.length > first) {
          edges.push([start, nodes[first].id]);
          ends.push(nodes[nodes.length - 1].id);
        }
      }
      if (words(head.dataset.def).length) {
        const out = node(head, head.textContent.replace(/ = .*$/s, ""), cluster, "port");
        for (const end of ends) edges.push([end, out]);
        define(head, out);
      }
    }
    inside(root, null, 0);
    return { nodes, clusters, edges, order: full(order), depth };
  }

  // Without the clusters that hold no node.
  function full(order) {
    const used = new Set(), parents = new Map(order.map((x) => [x.id, x.parent]));
    for (const x of order)
      if (x.text !== undefined && x.width)
        for (let at = x.parent; at; at = parents.get(at)) used.add(at);
    return order.filter((x) => x.width || used.has(x.id));
  }

  const short = (text) => {
    const flat = text.replace(/\s+/g, " ").trim();
    return flat.length > 46 ? flat.slice(0, 45) + "…" : flat;
  };

  function element(name, attributes, parent) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    if (parent) parent.append(e);
    return e;
  }

  function svgOf(graph, { at, lines, width, height }) {
    const svg = element("svg", { "data-width": Math.ceil(width), "data-height": Math.ceil(height),
      role: "img", "aria-label": "the graph" });
    const defs = element("defs", {}, svg);
    const arrow = element("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4,
      markerWidth: 7, markerHeight: 7, orient: "auto" }, defs);
    element("path", { d: "M0 0L8 4L0 8z" }, arrow);
    for (const c of graph.clusters) if (at.has(c.id)) cluster(svg, c, at.get(c.id));
    for (const points of lines)
      element("path", { d: curve(points), "marker-end": "url(#arrow)" }, svg);
    for (const n of graph.nodes) box(svg, n, at.get(n.id));
    return svg;
  }

  function cluster(svg, c, at) {
    const group = element("g", { class: "cluster" }, svg);
    element("rect", { x: at.x - at.width / 2, y: at.y - at.height / 2, width: at.width,
      height: at.height, rx: 6 }, group);
    const text = element("text", { x: at.x - at.width / 2 + 6, y: at.y - at.height / 2 + 13 }, group);
    text.textContent = c.text;
    if (c.e) text.addEventListener("click", () => { c.e.open = false; redraw(); });
  }

  function box(svg, n, at) {
    const group = element("g", { class: "node " + n.kind, tabindex: 0 }, svg);
    if (n.line) group.dataset.l = n.line;
    element("rect", { x: at.x - at.width / 2, y: at.y - at.height / 2, width: at.width,
      height: at.height, rx: n.kind === "port" ? 11 : 4 }, group);
    const text = element("text", { x: at.x, y: at.y + 4, "text-anchor": "middle" }, group);
    text.textContent = n.text;
    element("title", {}, group).textContent = n.title || n.text;
    if (n.kind === "closed")
      group.addEventListener("dblclick", () => {
        const fold = n.e.closest("details");
        if (fold) { fold.open = true; redraw(); }
      });
  }

  function curve(points) {
    const [first, ...rest] = points;
    let d = `M${first.x} ${first.y}`;
    for (let i = 0; i < rest.length - 1; i++) {
      const mx = (rest[i].x + rest[i + 1].x) / 2, my = (rest[i].y + rest[i + 1].y) / 2;
      d += i < rest.length - 2 ? `Q${rest[i].x} ${rest[i].y} ${mx} ${my}`
        : `Q${rest[i].x} ${rest[i].y} ${rest[i + 1].x} ${rest[i + 1].y}`;
    }
    if (rest.length === 1) d += `L${rest[0].x} ${rest[0].y}`;
    return d;
  }

  Object.assign(page, { draw, redraw, close, zoom, fit });
})();
