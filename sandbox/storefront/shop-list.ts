import { row, sql, text } from '#kit/postgres'
import type { SandboxDatabase } from '../report-queued.ts'
import { html } from './html.ts'
import { htmlDocument } from './html-document.ts'

const MAX_SHOPS = 100

/** The page of an address that names no shop: links to the oldest shops. */
export async function shopListPage(db: SandboxDatabase): Promise<string> {
  // Not bound to a store, since it finds the stores.
  const shops = await db.direct.many(
    row({ domain: text, name: text }),
    sql`select domain, name from sandbox.shops order by store_id limit ${MAX_SHOPS}`
  )
  const list =
    shops.length > 0
      ? html`<ul>${shops.map(({ domain, name }) => html`<li><a href="/${domain}/">${name}</a> (${domain})</li>`)}</ul>`
      : html`<p>There are no shops yet. Create one with <code>perennial store create --sandbox</code>.</p>`
  return htmlDocument({
    title: 'Sandbox shops',
    stylesheet: null,
    body: html`<main><h1>Sandbox shops</h1>${list}</main>`
  })
}
