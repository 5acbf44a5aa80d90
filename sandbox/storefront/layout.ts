import { PATH_PREFIX } from '../proxy/forward.ts'
import type { Notice } from '../session.ts'
import type { Shop } from '../shop.ts'
import { type Html, html } from './html.ts'
import { htmlDocument } from './html-document.ts'

/** Of the pages, and of the elements in them. */
export const LANGUAGE = 'en'

export type PageBody = {
  title: string
  notice?: Notice | null
  main: Html
  account?: Html
  /** The files of the app whose elements it uses, as a theme names them: `perennial-cancel`. */
  elements?: string[]
  /** What stands beside the page: its side cart, and what the theme prints for elements. */
  beside?: Html
}

/** One page of the storefront. It works without scripts and loads nothing from other hosts. */
export function page(shop: Shop, basePath: string, now: Temporal.Instant, body: PageBody): string {
  const elements = (shop.appProxyUrl && body.elements) || []
  const themeScript = elements.length > 0 ? [`${basePath}/storefront.js`] : []
  return htmlDocument({
    title: `${body.title} · ${shop.name}`,
    stylesheet: `${basePath}/storefront.css`,
    modules: [...elements.map((name) => `${basePath}${PATH_PREFIX}/v1/storefront/${name}.js`), ...themeScript],
    body: html`<a class="skip" href="#main">Skip to content</a>
<header>
  <div class="bar">
    <a class="shop" href="${basePath}/">${shop.name}</a>
    ${body.account}
  </div>
  <p class="clock">Test store. Its clock says <time datetime="${now.toString()}">${moment(shop, now)}</time></p>
</header>
<main id="main" tabindex="-1">
  ${body.notice && notice(body.notice)}
  ${body.main}
</main>
${body.beside}`
  })
}

function notice({ kind, title, detail }: Notice): Html {
  return html`<section class="notice ${kind}" role="${kind === 'problem' ? 'alert' : 'status'}">
    <h2>${title}</h2>
    ${Array.isArray(detail) ? html`<ul>${detail.map((one) => html`<li>${one}</li>`)}</ul>` : detail && html`<pre>${detail}</pre>`}
  </section>`
}

/** An instant in the shop's time zone, for people. */
export function moment(shop: Shop, at: Temporal.Instant, timeStyle: 'short' | 'medium' = 'short'): string {
  return at
    .toZonedDateTimeISO(shop.timezone)
    .toPlainDateTime()
    .toLocaleString(LANGUAGE, { dateStyle: 'long', timeStyle })
}

/** A date in the shop's time zone. */
export const day = (shop: Shop, at: Temporal.Instant): string =>
  dayInWords(at.toZonedDateTimeISO(shop.timezone).toPlainDate())

/** A date as the elements in the pages show it. */
export const dayInWords = (date: Temporal.PlainDate): string => date.toLocaleString(LANGUAGE, { dateStyle: 'long' })

/**
 * What the theme does about a cancellation: it shows its own card as it is then, which the platform learns a moment later. Beside a card of the app,
 * which follows what it does itself, the theme says only of what lives that the customer has it.
 */
export const SCRIPT = `let isChanged = false
for (const name of ['perennial-cancel-done', 'perennial-cancel-accepted']) addEventListener(name, () => { isChanged = true })
addEventListener('perennial-cancel-close', () => {
  if (isChanged && !document.querySelector('perennial-membership')) setTimeout(() => location.reload(), 1000)
})
addEventListener('perennial-account-load', ({ detail: { account } }) => {
  const live = account.contracts.filter(({ status }) => status !== 'CANCELLED' && status !== 'EXPIRED').map((one) => one.contract_id)
  for (const one of document.querySelectorAll('[data-held]')) one.hidden = !one.dataset.held.split(' ').some((id) => live.includes(id))
})
`

export const CSS = `
:root { color-scheme: light dark;
  --ground: #f6f5f2; --card: #ffffff; --ink: #1c1f1d; --soft: #5b625e; --line: #d9dbd6; --accent: #1f5f4a; --on-accent: #ffffff;
  --done: #e3f1ea; --done-ink: #14503b; --problem: #fbe6e2; --problem-ink: #8a1f11 }
@media (prefers-color-scheme: dark) { :root {
  --ground: #141715; --card: #1d211f; --ink: #eceeea; --soft: #a3aca7; --line: #363c39; --accent: #6fc7a5; --on-accent: #0d1f18;
  --done: #17322a; --done-ink: #a8e0c8; --problem: #3a1d18; --problem-ink: #ffb9ac } }
* { box-sizing: border-box } [hidden] { display: none !important }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
header { border-bottom: 1px solid var(--line); background: var(--card); padding: .75rem 1rem }
.bar { max-width: 62rem; margin: 0 auto; display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between }
.shop { font-size: 1.25rem; font-weight: 700; color: inherit; text-decoration: none }
.clock { max-width: 62rem; margin: .25rem auto 0; color: var(--soft); font-size: .9rem }
.who { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center }
main { max-width: 64rem; margin: 0 auto; padding: 1rem; display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.75rem }
main:focus { outline: none }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 }
h2 { font-size: 1.15rem; margin: 0 0 .75rem }
h3 { font-size: 1.05rem; margin: 0 }
p { margin: 0 0 .5rem }
.soft { color: var(--soft) }
.grid { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); list-style: none; margin: 0; padding: 0 }
a.shop { min-width: 0 }
.card { grid-template-columns: minmax(0, 1fr); background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; display: grid; gap: .6rem; align-content: start; min-width: 0 }
.price { font-size: 1.5rem; font-weight: 700 }
.status { display: inline-block; padding: .05rem .55rem; border-radius: 1rem; border: 1px solid var(--line); font-size: .85rem; font-weight: 600 }
.status.active { background: var(--done); color: var(--done-ink); border-color: transparent }
.status.failed, .status.cancelled, .status.expired { background: var(--problem); color: var(--problem-ink); border-color: transparent }
dl { margin: 0; display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1rem }
dt { color: var(--soft) } dd { margin: 0 }
form { display: grid; grid-template-columns: minmax(0, 1fr); gap: .6rem; margin: 0 } form.inline { display: inline }
label { align-content: start; display: grid; grid-template-columns: minmax(0, 1fr); gap: .2rem; font-weight: 600 }
input, select, textarea { font: inherit; font-weight: 400; color: inherit; background: var(--ground); border: 1px solid var(--soft); border-radius: .4rem; padding: .5rem .6rem; width: 100%; min-width: 0; max-width: 100% }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .4rem 1rem; border-radius: .4rem; border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); cursor: pointer; justify-self: start }
form.choices { display: flex; flex-wrap: wrap; gap: .75rem }
button.quiet { background: transparent; color: var(--accent) }
button.danger { background: transparent; border-color: var(--problem-ink); color: var(--problem-ink) }
a { color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.table { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .6rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .5rem .75rem; border-bottom: 1px solid var(--line); white-space: nowrap }
tr:last-child td { border-bottom: 0 } th { color: var(--soft); font-weight: 600 } .number { text-align: right; font-variant-numeric: tabular-nums }
.notice { border-radius: .6rem; padding: .75rem 1rem } .notice h2 { margin: 0; font-size: 1rem }
.done { background: var(--done); color: var(--done-ink) } .problem { background: var(--problem); color: var(--problem-ink) } .notice p { margin: .25rem 0 0 } .notice a { color: inherit }
pre { white-space: pre-wrap; margin: .5rem 0 0; font: .85rem/1.4 ui-monospace, monospace }
details { border-top: 1px solid var(--line); padding-top: .6rem } summary { cursor: pointer; min-height: 2.1rem; font-weight: 600 }
perennial-cancel, perennial-join { min-height: 2.75rem } perennial-membership.held { min-height: 21rem }
perennial-cancel, perennial-join, perennial-membership { display: block; --perennial-accent: var(--accent); --perennial-on-accent: var(--on-accent); --perennial-danger: var(--problem-ink); --perennial-border: var(--soft);
  --perennial-background: var(--card); --perennial-color: var(--ink); --perennial-focus: var(--accent) } details[open] summary { margin-bottom: .6rem }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-right: auto }
.notice ul { margin: .35rem 0 0; padding-left: 1.25rem }
.code { font: .95rem/1.4 ui-monospace, monospace }
label.plain, .plain { font-weight: 400 } label.short { max-width: 7rem } label.plain input[type=number] { width: 5rem } input[type=checkbox] { width: auto } label:has(> [type=checkbox]) { display: flex; gap: .4rem; align-items: center }
div.choices { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end } .grid + .choices { margin-top: 1rem }
a.button { display: inline-flex; align-items: center; min-height: 2.75rem; padding: .4rem 1rem; border-radius: .4rem; background: var(--accent); color: var(--on-accent); font-weight: 600; text-decoration: none }
td.wide { white-space: normal; min-width: 14rem } tr:has(+ .why) td { border-bottom: 0; padding-bottom: 0 } .why td { padding-top: .15rem } .tag { display: inline-block; padding: 0 .45rem; border-radius: .4rem; font-size: .85rem }
dl.sum { max-width: 28rem; margin: .75rem 0 } dl.sum dd { font-variant-numeric: tabular-nums } dl.sum .price { font-size: 1.15rem }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
perennial-cart:not(:defined) { display: block; min-height: 17rem }
dialog.side-cart { inset: 0 0 0 auto; width: min(100vw, 26rem); max-width: none; height: 100dvh; max-height: none; margin: 0; padding: 1rem; border: 0; border-left: 1px solid var(--line); background: var(--card); color: var(--ink); overflow: auto }
.side-cart-head, .side-cart-row { display: flex; gap: .75rem; align-items: start; justify-content: space-between } .side-cart-row { padding: .6rem 0; border-bottom: 1px solid var(--line); flex-wrap: wrap } .side-cart-summary { padding-top: .75rem } .side-cart-head .quiet { width: auto; white-space: nowrap }
perennial-cart { --perennial-accent: var(--accent); --perennial-on-accent: var(--on-accent); --perennial-border: var(--soft); --perennial-focus: var(--accent) }
iframe { border: 1px solid var(--line); border-radius: .6rem; background: var(--card); width: 100% }
.skip { position: absolute; inset-inline-start: 1rem; top: -999rem } .skip:focus { top: .5rem; background: var(--card); padding: .5rem 1rem; z-index: 1 }
@media (max-width: 40rem) { table.stacked thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  table.stacked, table.stacked tbody { display: block } table.stacked tr { display: grid; gap: .15rem; padding: .6rem .75rem; border-bottom: 1px solid var(--line) } table.stacked tr:last-child { border-bottom: 0 }
  table.stacked td { display: grid; grid-template-columns: 4rem minmax(0, 1fr); gap: .75rem; padding: 0; border: 0; white-space: normal; min-width: 0; text-align: left } table.stacked td::before { content: attr(data-label); color: var(--soft) } }
@media (max-width: 40rem) { table.lines th, table.lines td { padding: .5rem } table.lines td { white-space: normal } table.lines td.wide { min-width: 0 } table.lines .why td { padding-top: .15rem } table.lines tr:has(+ .why) td { padding-bottom: 0 } table.lines input[type=number] { width: 4rem } }
@media (max-width: 26rem) { dl { grid-template-columns: minmax(0, 1fr) } dt { margin-top: .3rem } button, a.button { width: 100% } a.button { justify-content: center } }
`
