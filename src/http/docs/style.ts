/** The style of the page: the colours of the reader's system, one column on narrow screens, no font or image to load. */
export const CSS = `:root { color-scheme: light dark; --ground: #f6f5f2; --card: #fff; --ink: #1c1f1d; --soft: #5b625e; --line: #d9dbd6; --accent: #1f5f4a }
@media (prefers-color-scheme: dark) { :root { --ground: #141715; --card: #1d211f; --ink: #eceeea; --soft: #a3aca7; --line: #363c39; --accent: #6fc7a5 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 54rem; padding: 1rem; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.6rem; margin: 0 } h2 { font-size: 1.35rem; margin: 2.5rem 0 .5rem } h3 { font-size: 1.1rem; margin: 0 0 .5rem } p { margin: 0 0 .75rem }
section { padding: 1.25rem 0; border-top: 1px solid var(--line) } section > h2 { margin: 0 0 .5rem } [id] { scroll-margin-top: .5rem } .error { padding: .75rem 0 }
a, summary { color: var(--accent) } summary { cursor: pointer; padding: .5rem 0 } em { color: var(--soft); font-size: .85em }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px } main:focus { outline: none }
.route { display: flex; flex-wrap: wrap; gap: .25rem 1rem; color: var(--soft) } .route > code { color: var(--ink) } .route b { color: var(--accent) }
nav h2 { font-size: .85rem; margin: .75rem 0 .25rem; color: var(--soft) } nav ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0 1rem } nav a { display: inline-block; padding: .2rem 0 }
pre, .table { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: 0 0 .75rem } pre { padding: .75rem }
code, pre { font: .9em/1.5 ui-monospace, monospace }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .4rem .75rem; border-bottom: 1px solid var(--line); min-width: 4rem }
th, td:not(:last-child) { overflow-wrap: break-word } td:last-child { min-width: 10rem }
th { color: var(--soft); font-weight: 600 } tr:last-child td { border-bottom: 0 }
.skip { position: absolute; left: -999rem } .skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem 1rem }
@media (min-width: 70rem) {
  body { max-width: 78rem; display: grid; grid-template-columns: 16rem minmax(0, 1fr); column-gap: 3rem } header { grid-column: 1 / -1 }
  .contents { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: .5rem } nav ul { display: block }
  @supports selector(::details-content) { .contents::details-content { content-visibility: visible } .contents > summary { display: none } }
}
@media (max-width: 30rem) { th, td { padding: .35rem .4rem; min-width: 3rem } table { font-size: .9rem } }
`
