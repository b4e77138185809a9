"use strict";
// Links lines, converted lines and graph nodes that come from the same line of the user's.
(function () {
  const LIMIT = 600; // dagre is quick enough for so many nodes
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const words = (text) => (text ? text.split(" ") : []);
  const byLine = new Map(), byDef = new Map(), byUse = new Map();
  const add = (map, key, element) => {
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(element);
  };
  let marked = [], pinned = null;

  function index(root) {
    for (const e of $$("[data-l],[data-def],[data-use]", root)) {
      if (e.dataset.l) add(byLine, e.dataset.l, e);
      for (const name of words(e.dataset.def)) add(byDef, name, e);
      for (const name of words(e.dataset.use)) add(byUse, name, e);
    }
  }

  function mark(e, name) {
    e.classList.add(name);
    marked.push([e, name]);
  }

  function clear() {
    for (const [e, name] of marked) e.classList.remove(name);
    marked = [];
  }

  function show(e) {
    clear();
    if (!e) return about(null);
    for (const same of byLine.get(e.dataset.l) || [e]) mark(same, "lit");
    for (const name of words(e.dataset.use))
      for (const maker of byDef.get(name) || []) mark(maker, "operand");
    for (const name of words(e.dataset.def))
      for (const user of byUse.get(name) || []) mark(user, "user");
    if (pinned) mark(pinned, "pinned");
    about(e);
  }

  function about(e) {
    const panel = $("#about");
    const line = e && $$(".line .notes").find(
      (n) => n.parentElement.dataset.l === e.dataset.l && visible(n.parentElement));
    panel.replaceChildren();
    if (!line) {
      const p = document.createElement("p");
      p.textContent = e && e.title ? e.title : "Point at a line or a node, or move with the " +
        "arrow keys; ? lists the keys.";
      panel.append(p);
      return;
    }
    const list = document.createElement("ul");
    for (const note of $$("li", line)) list.append(note.cloneNode(true));
    panel.append(list);
  }

  const visible = (e) => !e.closest("[hidden]") && e.getClientRects().length > 0;

  function linked(target) {
    const e = target.closest && target.closest("[data-l],.eq");
    return e && (e.dataset.l || e.classList.contains("eq")) ? e : null;
  }

  function pin(e) {
    pinned = e;
    show(e);
    for (const pane of $$(".pane")) {
      if (!e || pane.contains(e)) continue;
      const other = (byLine.get(e.dataset.l) || []).find((x) => pane.contains(x) && visible(x));
      if (other) other.scrollIntoView({ block: "nearest" });
    }
  }

  document.addEventListener("mouseover", (event) => {
    const e = linked(event.target);
    if (e) show(e);
    else if (!event.target.closest || !event.target.closest("#about")) show(pinned);
  });
  document.addEventListener("focusin", (event) => {
    const e = linked(event.target);
    if (e) show(e);
  });
  document.addEventListener("click", (event) => {
    const e = linked(event.target);
    if (e && !event.target.closest("summary,button,select")) pin(e === pinned ? null : e);
  });

  // -- keys ----------------------------------------------------------------------------------

  function focusable(pane) {
    return $$("[tabindex],summary", pane).filter(visible);
  }

  function step(by) {
    const here = document.activeElement;
    const pane = (here && here.closest(".pane")) || $(".pane");
    const all = focusable(pane);
    const at = all.indexOf(here);
    const next = all[at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + by))];
    if (next) next.focus();
  }

  function sideways(by) {
    const panes = $$(".pane").filter(visible);
    const here = document.activeElement;
    const at = panes.findIndex((pane) => pane.contains(here));
    const pane = panes[Math.max(0, Math.min(panes.length - 1, at + by))];
    if (!pane || pane === panes[at]) return;
    const key = here && here.dataset ? here.dataset.l : null;
    const same = (byLine.get(key) || []).find((x) => pane.contains(x) && visible(x));
    const next = same || focusable(pane)[0];
    if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
  }

  const KEYS = {
    ArrowDown: () => step(1), j: () => step(1), ArrowUp: () => step(-1), k: () => step(-1),
    ArrowRight: () => sideways(1), l: () => sideways(1),
    ArrowLeft: () => sideways(-1), h: () => sideways(-1),
    Escape: () => pin(null), t: () => theme(), d: () => draw(), "?": () => $("#help").showModal(),
    c: () => folds(false), o: () => folds(true),
    Enter: () => { const e = linked(document.activeElement); if (e) pin(e); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
    const target = event.target;
    if (target.closest("select") || (event.key === "Enter" && target.matches("summary,button")))
      return;
    const act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // -- buttons -------------------------------------------------------------------------------

  function theme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }

  function folds(open) {
    for (const fold of $$(".ag-graph details")) fold.open = open;
    if ($(".drawing")) redraw();
  }

  const currentTrace = () => $$(".trace").find((trace) => !trace.hidden);

  function choose(number) {
    for (const e of $$("[data-trace]")) e.hidden = e.dataset.trace !== String(number);
    close();
    show(null);
  }

  function on(id, act) {
    const button = document.getElementById(id);
    if (button) button.addEventListener("click", act);
  }
  on("theme", theme);
  on("fold", () => folds(false));
  on("unfold", () => folds(true));
  on("draw", draw);
  on("keys", () => $("#help").showModal());
  on("larger", () => zoom(1.25));
  on("smaller", () => zoom(0.8));
  const traces = $("#traces");
  if (traces) {
    traces.addEventListener("change", () => choose(traces.value));
    choose(traces.value);
  }
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = $$("details:not([open])");
    for (const fold of folded) fold.open = true;
  });
  window.addEventListener("afterprint", () => { for (const fold of folded) fold.open = false; });

  // -- the drawing ---------------------------------------------------------------------------

  let scale = 1;

  function zoom(by) {
    scale = Math.max(0.1, Math.min(4, scale * by));
    const svg = $(".drawing svg");
    if (!svg) return;
    svg.setAttribute("width", svg.viewBox.baseVal.width * scale);
    svg.setAttribute("height", svg.viewBox.baseVal.height * scale);
  }

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
    for (const id of ["larger", "smaller"]) document.getElementById(id).hidden = true;
    return true;
  }

  function draw() {
    if (!currentTrace() || close()) return;
    redraw();
  }

  function redraw() {
    close();
    const trace = currentTrace(), boxes = $(".boxes", trace);
    const graph = collect($(".ag-graph", boxes));
    const place = document.createElement("div");
    place.className = "drawing";
    boxes.hidden = true;
    trace.append(place);
    $("#draw").textContent = "Boxes";
    if (graph.nodes.length > LIMIT) {
      const p = document.createElement("p");
      p.className = "error";
      p.textContent = graph.nodes.length + " nodes are too many to draw. Read the boxes, or fold " +
        "loops and branches first.";
      place.append(p);
      return;
    }
    for (const id of ["larger", "smaller"]) document.getElementById(id).hidden = false;
    $("main").classList.add("drawn");
    place.append(svgOf(graph));
    scale = Math.min(1, place.clientWidth / $("svg", place).viewBox.baseVal.width);
    scale = Math.max(scale, 0.6);
    zoom(1);
    index(place);
  }

  // The boxes as nodes, clusters and edges. Closed regions are one node each. If there are too
  // many nodes, regions are taken as closed, the innermost first.
  function collect(root) {
    const depth = Math.max(0, ...$$("details", root).map(depthOf));
    for (let limit = depth + 1; ; limit--) {
      const graph = collectTo(root, limit);
      if (graph.nodes.length <= LIMIT || limit === 0) return graph;
    }
  }

  function depthOf(e) {
    let depth = 0;
    for (let x = e.parentElement; x; x = x.parentElement) depth += x.tagName === "DETAILS";
    return depth + 1;
  }

  function collectTo(root, limit) {
    const nodes = [], clusters = [], edges = [], made = new Map();
    const node = (e, text, parent, kind) => {
      const id = "n" + nodes.length;
      nodes.push({ id, text: short(text), parent, kind, line: e.dataset.l, title: e.title, e });
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
      if (!e.open || level + 1 > limit) {
        const id = node(head, head.textContent, parent, "closed");
        for (const inner of $$("[data-use]", e)) use(inner, id);
        for (const inner of $$("[data-def]", e)) define(inner, id);
        return;
      }
      const cluster = "c" + clusters.length;
      clusters.push({ id: cluster, parent, text: e.className || head.textContent, e });
      const start = node(head, head.textContent.replace(/^.*? = /s, ""), cluster, "");
      use(head, start);
      const ends = [];
      for (const region of e.children) {
        if (region === e.firstElementChild) continue;
        if (!region.classList.contains("region")) { visit(region, cluster, level + 1); continue; }
        const inner = "c" + clusters.length;
        const role = $(".role", region);
        clusters.push({ id: inner, parent: cluster, text: role ? role.textContent : "", e: null });
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
    return { nodes, clusters, edges };
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

  function svgOf(graph) {
    const g = new dagre.graphlib.Graph({ compound: true, multigraph: true });
    g.setGraph({ nodesep: 18, ranksep: 26, marginx: 12, marginy: 12 });
    g.setDefaultEdgeLabel(() => ({}));
    const used = new Set(graph.nodes.map((n) => n.parent));
    for (const c of [...graph.clusters].reverse()) if (used.has(c.id)) used.add(c.parent);
    for (const c of graph.clusters) if (used.has(c.id)) g.setNode(c.id, {});
    for (const n of graph.nodes) g.setNode(n.id, { width: n.text.length * 6.7 + 14, height: 22 });
    for (const x of [...graph.clusters.filter((c) => used.has(c.id)), ...graph.nodes])
      if (x.parent) g.setParent(x.id, x.parent);
    graph.edges.forEach(([a, b], i) => g.setEdge(a, b, {}, "e" + i));
    dagre.layout(g);
    const { width, height } = g.graph();
    const svg = element("svg", { viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`,
      role: "img", "aria-label": "the graph" });
    const defs = element("defs", {}, svg);
    const arrow = element("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4,
      markerWidth: 7, markerHeight: 7, orient: "auto" }, defs);
    element("path", { d: "M0 0L8 4L0 8z" }, arrow);
    for (const c of graph.clusters) if (used.has(c.id)) cluster(svg, c, g.node(c.id));
    for (const e of g.edges())
      element("path", { d: curve(g.edge(e).points), "marker-end": "url(#arrow)" }, svg);
    for (const n of graph.nodes) box(svg, n, g.node(n.id));
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

  index(document);
  about(null);
})();
