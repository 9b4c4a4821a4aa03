"""The style sheet of the static page: light and dark, no network, readable in print."""

from __future__ import annotations

__all__ = ["STYLE"]

STYLE = """
:root { color-scheme: light dark;
  --ground: #fbfbfa; --card: #ffffff; --ink: #1d2127; --soft: #5c6470; --line: #e3e4e1;
  --accent: #2f5fb3; --good: #1f7a4d; --good-ground: #e3f3ea; --warn: #8a5a00;
  --warn-ground: #fbf0d6; --bad: #a8322a; --bad-ground: #fae5e2; --track: #eceeec; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #14161a; --card: #1c1f25; --ink: #e6e8eb; --soft: #9aa3af; --line: #30353d;
  --accent: #86aef5; --good: #6fd09d; --good-ground: #173527; --warn: #e7b759;
  --warn-ground: #3a2e12; --bad: #f0948c; --bad-ground: #43201d; --track: #2a2f37; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 80rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
header p { color: var(--soft); margin: .35rem 0 0; max-width: 60rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; letter-spacing: -.01em; }
h1 small { font-weight: 400; color: var(--soft); font-size: 1rem; letter-spacing: 0; }
h2 { font-size: 1.05rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: .8rem; margin: 0 0 .4rem; color: var(--soft); font-weight: 600; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .75rem;
  margin-top: 1.5rem; }
.tile, .panel { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  padding: .9rem 1rem; min-width: 0; }
.tile .name { color: var(--soft); font-size: .85rem; }
.tile .figure { font-size: 1.75rem; line-height: 1.25; font-weight: 600;
  font-variant-numeric: tabular-nums; letter-spacing: -.02em; }
.tile .note { color: var(--soft); font-size: .82rem; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
  gap: .75rem; margin-top: .75rem; }
.panel p { margin: .5rem 0 0; }
.panel p:first-of-type { margin-top: 0; }
.panel h3 { font-size: .9rem; color: var(--ink); margin-bottom: .6rem; }
.bars { display: grid; grid-template-columns: max-content minmax(4rem, 1fr) max-content;
  gap: .35rem .75rem; align-items: center; margin: 0 0 .75rem; }
.bars b { font-weight: 400; } .bars .own b { font-weight: 600; }
.bars .row { display: contents; }
.bar { position: relative; height: .65rem; background: var(--track); border-radius: .35rem; }
.bar i { position: absolute; inset: 0 auto 0 0; background: var(--accent); border-radius: .35rem;
  opacity: .55; } .own .bar i { opacity: 1; }
.bar u { position: absolute; top: 50%; height: 2px; margin-top: -1px; background: var(--ink);
  opacity: .65; }
.num { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
.whole { white-space: nowrap; }
.soft { color: var(--soft); }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; font-size: .8rem; color: var(--soft); }
th, td { padding: .3rem .8rem .3rem 0; vertical-align: top; overflow-wrap: anywhere; }
td + td, th + th { border: 0; } tr + tr td { border-top: 1px solid var(--line); }
th.num, td.num { padding-left: .4rem; }
.count { font-variant-numeric: tabular-nums; text-align: right; width: 2rem; }
.square td { border: 0; } .square .big { font-size: 1.1rem; font-weight: 600;
  font-variant-numeric: tabular-nums; }
.badge { display: inline-block; padding: .05rem .5rem; border-radius: .8rem; font-size: .82rem;
  white-space: nowrap; background: var(--track); }
.verdict { font-weight: 600; max-width: 60rem; }
.good { background: var(--good-ground); color: var(--good); }
.warn { background: var(--warn-ground); color: var(--warn); }
.bad { background: var(--bad-ground); color: var(--bad); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .6rem;
  background: var(--card); }
.trials { min-width: 101rem; }
.cells { display: grid; align-items: baseline; gap: 0 .8rem; padding: .5rem 1rem .5rem 2.1rem;
  grid-template-columns: minmax(15.5rem, 2fr) 3rem minmax(9.5rem, 1.3fr) 2.5rem 7rem 6.2rem
    4rem 6.5rem 6rem 7rem 8rem minmax(6rem, 1.2fr) minmax(8.5rem, 1fr); }
.cells > span { overflow-wrap: anywhere; min-width: 0; }
.head { font-size: .8rem; font-weight: 600; color: var(--soft); }
details.trial { border-top: 1px solid var(--line); }
details.trial > summary { cursor: pointer; list-style: none; position: relative; }
details.trial > summary::-webkit-details-marker { display: none; }
details.trial > summary::before { content: ""; position: absolute; left: 1rem; top: 1rem;
  width: .4rem; height: .4rem; border: solid var(--soft); border-width: 0 1.5px 1.5px 0;
  transform: rotate(-45deg); }
details.trial[open] > summary::before { transform: rotate(45deg); }
details.trial > summary:hover { background: var(--track); }
summary:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.inside { padding: .5rem 1.5rem 1.5rem 2.1rem; display: grid; gap: 1.1rem; max-width: 72rem; }
.inside table { width: auto; } .inside :is(th, td) { padding-right: 1.75rem; }
.inside p { margin: 0; } .inside .figures { display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; }
.figures span b { font-weight: 600; font-variant-numeric: tabular-nums; }
.hits { margin: .3rem 0 .2rem; padding-left: 1.4rem; font-size: .86rem; }
.hits .badge { margin-left: .5rem; font-size: .74rem; }
blockquote { margin: .25rem 0 .6rem; padding: .1rem 0 .1rem .8rem; max-width: 52rem;
  border-left: 3px solid var(--line); font-size: .9rem; }
cite { display: block; font-style: normal; font-size: .82rem; color: var(--soft); }
code { font: .86em/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
dl { display: grid; grid-template-columns: 12rem 1fr; gap: .3rem 1.25rem; margin: 0; }
dt { font-weight: 600; } dd { margin: 0; color: var(--soft); }
.glossary { display: grid; gap: 1.5rem; }
footer { margin-top: 2.5rem; color: var(--soft); font-size: .82rem; overflow-wrap: anywhere; }
@media (max-width: 40rem) { main { padding: 1.25rem .9rem 3rem; } dl { grid-template-columns: 1fr; }
  dd { margin-bottom: .4rem; } }
@media print { .scroll { overflow: visible; } body { background: #fff; } }
"""
