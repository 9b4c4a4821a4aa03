"""What the page of a grid has in style and script beyond the page of a run."""

from __future__ import annotations

__all__ = ["COMPARE_SCRIPT", "COMPARE_STYLE"]

COMPARE_STYLE = """
main { max-width: 96rem; }
.verdict { font-size: 1.05rem; margin: 1.25rem 0 0; padding: .9rem 1.1rem; background: var(--card);
  border: 1px solid var(--line); border-left: 4px solid var(--accent); border-radius: .6rem; }
.verdict p { margin: .25rem 0; } .verdict p + p { color: var(--soft); font-size: .95rem; }
.controls { display: flex; flex-wrap: wrap; gap: .6rem 1.25rem; align-items: center;
  margin: 0 0 .75rem; }
.controls input[type=search] { font: inherit; padding: .35rem .6rem; min-width: 18rem;
  color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .4rem; }
.controls label { color: var(--soft); font-size: .85rem; }
.grid { width: max-content; min-width: 100%; font-size: .88rem; }
.grid th, .grid td { padding: .35rem .7rem; white-space: nowrap; text-align: right;
  font-variant-numeric: tabular-nums; }
.grid .name { text-align: left; }
.grid thead th { position: sticky; top: 0; background: var(--card); z-index: 1;
  border-bottom: 1px solid var(--line); }
.grid button { all: unset; cursor: pointer; font: inherit; font-weight: 600; color: var(--soft); }
.grid button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.grid th[aria-sort] button { color: var(--ink); }
.grid th[aria-sort=descending] button::after { content: " \\2193"; }
.grid th[aria-sort=ascending] button::after { content: " \\2191"; }
.grid tr.failed td { color: var(--bad); } .grid tr.best td { font-weight: 600; }
.grid small { color: var(--soft); font-weight: 400; }
[hidden] { display: none !important; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr));
  gap: .75rem; }
.plot { width: 100%; height: auto; display: block; }
.frame line { stroke: var(--line); } .frame .axis { stroke: var(--soft); }
.frame text { fill: var(--soft); font-size: 11px; }
.whisker { stroke: var(--soft); opacity: .45; } .front { fill: none; stroke: var(--accent);
  stroke-dasharray: 3 3; opacity: .7; } .ring { fill: none; stroke: var(--ink); stroke-width: 1.5; }
.ink { fill: var(--soft); stroke: var(--soft); }
.stroke { fill: none; stroke-width: 2.5; }
.c0 { fill: #4e79a7; stroke: #4e79a7; } .c1 { fill: #f28e2b; stroke: #f28e2b; }
.c2 { fill: #59a14f; stroke: #59a14f; } .c3 { fill: #e15759; stroke: #e15759; }
.c4 { fill: #b07aa1; stroke: #b07aa1; } .c5 { fill: #76b7b2; stroke: #76b7b2; }
.c6 { fill: #edc948; stroke: #edc948; } .c7 { fill: #9c755f; stroke: #9c755f; }
.stroke.c0, .stroke.c1, .stroke.c2, .stroke.c3, .stroke.c4, .stroke.c5, .stroke.c6, .stroke.c7,
.stroke.ink { fill: none; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; font-size: .85rem;
  color: var(--soft); margin: .6rem 0 0; } .legend span { display: inline-flex; gap: .35rem;
  align-items: center; } .swatch { width: 12px; height: 12px; overflow: visible; }
#heat { display: block; overflow-x: auto; } #heat svg { display: block; }
#heat text { fill: var(--soft); font-size: 10.5px; }
#heat rect.none { fill: var(--track); } #told { min-height: 3em; color: var(--soft); }
.scale { display: inline-block; width: 8rem; height: .6rem; border-radius: .3rem;
  vertical-align: middle;
  background: linear-gradient(90deg, #b2182b, #f4a582, #f7f7f7, #92c5de, #2166ac); }
.question { border-top: 1px solid var(--line); } .question summary { cursor: pointer;
  padding: .5rem 1rem; } .question .inside { padding: .25rem 1rem 1rem; }
.passage { margin: 0; padding: .4rem .8rem; border-left: 3px solid var(--line);
  white-space: pre-wrap; overflow-wrap: anywhere; }
.box { border: 1px solid var(--line); border-radius: .6rem; background: var(--card);
  overflow: hidden; }
"""

COMPARE_SCRIPT = """
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const table = document.querySelector("table.grid"), body = table.tBodies[0];
  const rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
  const box = document.getElementById("filter"), count = document.getElementById("count");
  const groups = [...document.querySelectorAll("input[data-group]")];
  const first = rows.slice();
  const state = { sort: "", dir: "desc", filter: "", columns: "" };

  const read = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    for (const key of Object.keys(state))
      state[key] = asked.get(key) || (key === "dir" ? "desc" : "");
  };
  const write = () => {
    const asked = new URLSearchParams();
    for (const [key, value] of Object.entries(state))
      if (value && !(key === "dir" && (value === "desc" || !state.sort))) asked.set(key, value);
    const text = asked.toString();
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
  };
  const column = (name) => heads.findIndex((head) =>
    head.dataset.key === name || head.dataset.key === name.replace(/@\\d+$/, ""));
  const value = (row, number) => {
    const cell = row.cells[number], text = cell.dataset.v;
    if (text === undefined) return cell.classList.contains("name") ? cell.textContent : null;
    return text === "" ? null : Number(text);
  };
  const compare = (number, sign) => (one, other) => {
    const a = value(one, number), b = value(other, number);
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "string" ? a.localeCompare(b) : a - b);
  };
  const sorted = () => {
    const number = state.sort ? column(state.sort) : -1;
    heads.forEach((head, at) => {
      if (at === number) head.setAttribute("aria-sort",
        state.dir === "asc" ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    if (number < 0) return first.slice();
    return first.slice().sort(compare(number, state.dir === "asc" ? 1 : -1));
  };
  const words = () => state.filter.toLowerCase().split(/\\s+/).filter(Boolean);
  const fits = (row) => words().every((word) => row.dataset.name.toLowerCase().includes(word));
  const apply = () => {
    const order = sorted(), shown = new Set();
    for (const row of order) {
      row.hidden = !fits(row);
      if (!row.hidden) shown.add(row.dataset.cell);
      body.append(row);
    }
    for (const point of document.querySelectorAll(".point"))
      point.toggleAttribute("hidden", !shown.has(point.dataset.cell));
    const open = new Set(state.columns.split(",").filter(Boolean));
    for (const group of groups) group.checked = open.has(group.dataset.group);
    for (const cell of table.querySelectorAll("[data-of]"))
      cell.hidden = !open.has(cell.dataset.of);
    count.textContent = shown.size + " of " + rows.length + " setups";
    if (document.activeElement !== box) box.value = state.filter;
    heat(order.filter((row) => !row.hidden).map((row) => row.dataset.cell));
  };

  const stops = [[178, 24, 43], [244, 165, 130], [247, 247, 247], [146, 197, 222], [33, 102, 172]];
  const colour = (share) => {
    const at = Math.min(3.999, Math.max(0, share * 4)), low = Math.floor(at), part = at - low;
    return "rgb(" + stops[low].map((c, i) =>
      Math.round(c + part * (stops[low + 1][i] - c))).join(",") + ")";
  };
  const make = (name, attributes, parent) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (parent) parent.append(made);
    return made;
  };
  const told = document.getElementById("told"), place = document.getElementById("heat");
  const heat = (cells) => {
    const left = 6.2 * Math.max(10, ...cells.map((cell) => data.names[cell].length)) + 10;
    const wide = Math.max(3, Math.min(18, 900 / data.questions.length)), high = 16;
    const svg = make("svg", { width: left + wide * data.questions.length + 4,
      height: high * cells.length + 4, role: "img", "aria-label": "Value per question and setup" });
    cells.forEach((cell, y) => {
      make("text", { x: left - 6, y: y * high + 12, "text-anchor": "end" }, svg)
        .textContent = data.names[cell];
      (data.values[cell] || []).forEach((share, x) => {
        const square = make("rect", { x: left + x * wide, y: y * high + 1,
          width: wide - (wide > 5 ? 1 : 0), height: high - 2, "data-at": cell + " " + x }, svg);
        if (share === null) square.setAttribute("class", "none");
        else square.setAttribute("fill", colour(share / 100));
      });
    });
    place.replaceChildren(svg);
  };
  place.addEventListener("mouseover", (event) => {
    const at = event.target.dataset && event.target.dataset.at;
    if (!at) return;
    const [cell, x] = at.split(" "), share = data.values[cell][x];
    told.textContent = data.questions[x].id + ": " + data.questions[x].text + " | " +
      data.names[cell] + ": " + (share === null ? "undefined" : share + " %");
  });

  table.tHead.addEventListener("click", (event) => {
    const head = event.target.closest("th");
    if (!head || !head.dataset.key) return;
    const same = state.sort === head.dataset.key;
    state.dir = same && state.dir === "desc" ? "asc" : "desc";
    state.sort = head.dataset.key;
    write(); apply();
  });
  box.addEventListener("input", () => { state.filter = box.value; write(); apply(); });
  for (const group of groups) group.addEventListener("change", () => {
    state.columns = groups.filter((g) => g.checked).map((g) => g.dataset.group).join(",");
    write(); apply();
  });
  window.addEventListener("hashchange", () => { read(); apply(); });
  read(); apply();
})();
"""
