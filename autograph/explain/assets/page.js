"use strict";
// Links lines, converted lines and graph nodes that come from the same line of the user's.
const page = { draw() {}, redraw() {}, close() {}, zoom() {}, fit() {} };
(function () {
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
    Escape: () => pin(null), t: () => theme(), d: draw, "+": () => page.zoom(1.25), "-": () => page.zoom(0.8),
    f: () => page.fit(), "/": () => search.focus(), "?": () => $("#help").showModal(),
    c: () => folds(false), o: () => folds(true),
    Enter: () => { const e = linked(document.activeElement); if (e) pin(e); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
    const target = event.target;
    if (target.closest("select,input") || (event.key === "Enter" && target.matches("summary,button")))
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
    if ($(".drawing")) page.redraw();
  }

  const currentTrace = () => $$(".trace").find((trace) => !trace.hidden);

  function choose(number) {
    for (const e of $$("[data-trace]")) e.hidden = e.dataset.trace !== String(number);
    page.close();
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
  on("larger", () => page.zoom(1.25));
  on("smaller", () => page.zoom(0.8));
  on("fit", () => page.fit());
  const traces = $("#traces");
  if (traces) {
    traces.addEventListener("change", () => choose(traces.value));
    choose(traces.value);
  }
  for (const row of $$("#overview tbody tr"))
    row.addEventListener("click", () => { traces.value = row.dataset.number; choose(traces.value); });
  for (const list of $$(".hottest"))
    list.addEventListener("change", () => {
      const line = $$("#source .line").find((e) => e.dataset.l === list.value);
      list.selectedIndex = 0;
      if (line) { pin(line); line.scrollIntoView({ block: "center" }); line.focus(); }
    });

  // -- search --------------------------------------------------------------------------------

  const search = $("#search");
  let hits = [], hit = -1;

  function find() {
    for (const e of hits) e.classList.remove("found");
    const text = search.value.trim().toLowerCase();
    hits = text ? $$(".line, .ag-graph .eq, .ag-graph .head, .drawing .node").filter(
      (e) => e.textContent.toLowerCase().includes(text)) : [];
    for (const e of hits) e.classList.add("found");
    hit = -1;
    search.title = hits.length + " found";
  }

  function next(by) {
    const seen = hits.filter(visible);
    if (!seen.length) return;
    hit = (hit + by + seen.length) % seen.length;
    seen[hit].scrollIntoView({ block: "center" });
    show(linked(seen[hit]));
  }
  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") next(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") { search.value = ""; find(); search.blur(); }
  });

  // -- panes ---------------------------------------------------------------------------------

  const narrow = matchMedia("(max-width: 800px)");

  function tab(name) {
    const panes = $$(".pane");
    const pane = panes.find((p) => p.id === name);
    if (narrow.matches) $("main").dataset.tab = name;
    else if (pane.hidden || panes.filter((p) => !p.hidden).length > 1) pane.hidden = !pane.hidden;
    tabs();
  }

  // Shows a pane that is hidden, or behind another tab.
  function bring(name) {
    if (narrow.matches) $("main").dataset.tab = name;
    document.getElementById(name).hidden = false;
    tabs();
  }

  function draw() {
    bring("graph");
    page.draw();
  }

  function tabs() {
    if (narrow.matches) {
      $("main").dataset.tab ||= "source";
      for (const pane of $$(".pane")) pane.hidden = false;
    } else delete $("main").dataset.tab;
    for (const button of $$(".tab")) {
      const name = button.dataset.pane, chosen = $("main").dataset.tab;
      const shown = chosen ? chosen === name : !document.getElementById(name).hidden;
      button.setAttribute("aria-pressed", String(shown));
    }
    for (const grip of $$(".grip")) {
      const before = grip.previousElementSibling, after = grip.nextElementSibling;
      grip.hidden = before.hidden || after.hidden;
    }
  }
  for (const button of $$(".tab")) button.addEventListener("click", () => tab(button.dataset.pane));
  narrow.addEventListener("change", tabs);
  tabs();

  // Gives the left one of two neighbouring panes so many pixels more.
  function drag(grip, by) {
    const pair = [grip.previousElementSibling, grip.nextElementSibling];
    const sizes = $$(".pane").filter((p) => !p.hidden).map((p) => [p, p.clientWidth]);
    const [left, right] = pair.map((p) => p.clientWidth);
    const moved = Math.max(120 - left, Math.min(right - 120, by));
    for (const [pane, width] of sizes)
      pane.style.flexGrow = width + (pane === pair[0] ? moved : pane === pair[1] ? -moved : 0);
  }
  for (const grip of $$(".grip")) {
    let at = null;
    grip.addEventListener("pointerdown", (event) => {
      at = event.clientX;
      grip.setPointerCapture(event.pointerId);
    });
    grip.addEventListener("pointermove", (event) => {
      if (at === null) return;
      drag(grip, event.clientX - at);
      at = event.clientX;
    });
    grip.addEventListener("pointerup", () => { at = null; });
    grip.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -40, ArrowRight: 40 }[event.key];
      if (by) { drag(grip, by); event.stopPropagation(); event.preventDefault(); }
    });
  }
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = $$("details:not([open])");
    for (const fold of folded) fold.open = true;
  });
  window.addEventListener("afterprint", () => { for (const fold of folded) fold.open = false; });

  Object.assign(page, { $, $$, words, byLine, index, currentTrace });
  index(document);
  about(null);
})();
