import type { Agent } from 'undici'
import type { ExportEndpoint } from '#exports'
import { signedQuery } from '../src/http/storefront/signed.test-helper.ts'
import type { BuiltStore } from '../test/store-builder.ts'

/** The end of a page has its `meta`, and of numbered pages a row if there is any. */
const END_BYTES = 4_096

/** Whose pages are read. */
export type Reader = { agent: Agent; store: Pick<BuiltStore, 'domain' | 'credentials'>; key: string }

type Query = Record<string, string>

/** Reads one page of an endpoint as an integrator does. Returns how many bytes it has, and the last of them. */
export async function readExportPage(
  { agent, store, key }: Reader,
  { origin, name, query }: { origin: string; name: ExportEndpoint['name']; query: Query }
): Promise<{ bytes: number; end: string }> {
  const path = `/apps/svc-api/v1/data/${name}?${signedQuery(store, { key, ...query })}`
  const { statusCode, body } = await agent.request({ origin, method: 'GET', path })
  let bytes = 0
  let end = Buffer.alloc(0)
  for await (const chunk of body) {
    bytes += chunk.length
    end = (chunk.length < END_BYTES ? Buffer.concat([end, chunk]) : chunk).subarray(-END_BYTES)
  }
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`)
  return { bytes, end: end.toString() }
}

/** What asks for the page after one that ends so; after the last page, for the first one. */
export function queryAfter(query: Query, end: string): Query {
  const lastId = /"last_id":\s*(\d+)/.exec(end)?.[1]
  if (lastId) return /"has_more":\s*true/.test(end) ? { since_id: lastId } : {}
  return end.includes('"shopify_customer_gid"') ? { page: String(Number(query.page ?? 1) + 1) } : {}
}
