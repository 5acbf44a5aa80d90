import { createHash } from 'node:crypto'
import { bytes, type Database, instant, int, json, nullable, type RowOf, row, sql, text, textList } from '#kit/postgres'
import type { AnswerFaults } from './answer-faults.ts'
import type { ChargeFaults } from './billing/charge-faults.ts'

const StoredShop = row({
  storeId: int,
  id: text,
  domain: text,
  name: text,
  email: text,
  timezone: text,
  currency: text,
  profile: text,
  accessTokenHash: bytes,
  appSecret: text,
  proxySecret: text,
  appProxyUrl: nullable(text),
  /** Null: those that the app requests. */
  accessScopes: nullable(textList),
  withheldFields: textList,
  resolveDelaySeconds: int,
  costCapacity: int,
  costRestoreRate: int,
  chargeFaults: nullable(json<ChargeFaults>()),
  answerFaults: nullable(json<AnswerFaults>()),
  /** What the token endpoint has issued: hashes in hex, and until when, in epoch milliseconds. */
  issuedTokens: json<{ hash: string; until: number }[]>(),
  createdAt: instant
})
export type Shop = Omit<RowOf<typeof StoredShop>, 'accessScopes'> & { accessScopes: string[] }

/** How long a shop is cached: every request needs it, and another process may change it. */
const CACHED_MS = 2_000

/** The shops of this platform, each cached for a short time. */
export class Shops {
  readonly #db: Database
  readonly #requestedScopes: readonly string[]
  readonly #byDomain = new Map<string, { shop: Shop; until: number }>()
  readonly #byStore = new Map<number, { shop: Shop; until: number }>()

  /** `requestedScopes`: what the app requests, and has in a shop without a list of its own. */
  constructor(db: Database, requestedScopes: readonly string[]) {
    this.#db = db
    this.#requestedScopes = requestedScopes
  }

  async findByDomain(domain: string): Promise<Shop | null> {
    const known = this.#byDomain.get(domain)
    if (known && known.until > performance.now()) return known.shop
    // Not bound to a store, since this look-up finds the store of a request.
    const found = await this.#db.direct.maybeOne(
      StoredShop,
      sql`
      select store_id, id::text as id, domain, name, email, timezone, currency, profile, access_token_hash, app_secret,
             proxy_secret, app_proxy_url, access_scopes, withheld_fields, resolve_delay_seconds, cost_capacity, cost_restore_rate,
             charge_faults, answer_faults, created_at,
             coalesce((select jsonb_agg(jsonb_build_object('hash', encode(t.token_hash, 'hex'), 'until', extract(epoch from t.expires_at) * 1000))
                         from sandbox.oauth_tokens t where t.store_id = shops.store_id), '[]'::jsonb) as issued_tokens
        from sandbox.shops where domain = ${domain}`
    )
    return found && this.#cache(found)
  }

  async find(storeId: number): Promise<Shop | null> {
    const known = this.#byStore.get(storeId)
    if (known && known.until > performance.now()) return known.shop
    const found = await this.#db.direct.maybeOne(
      StoredShop,
      sql`
      select store_id, id::text as id, domain, name, email, timezone, currency, profile, access_token_hash, app_secret,
             proxy_secret, app_proxy_url, access_scopes, withheld_fields, resolve_delay_seconds, cost_capacity, cost_restore_rate,
             charge_faults, answer_faults, created_at,
             coalesce((select jsonb_agg(jsonb_build_object('hash', encode(t.token_hash, 'hex'), 'until', extract(epoch from t.expires_at) * 1000))
                         from sandbox.oauth_tokens t where t.store_id = shops.store_id), '[]'::jsonb) as issued_tokens
        from sandbox.shops where store_id = ${storeId}`
    )
    return found && this.#cache(found)
  }

  forget(storeId: number) {
    const known = this.#byStore.get(storeId)
    this.#byStore.delete(storeId)
    if (known) this.#byDomain.delete(known.shop.domain)
  }

  #cache(found: RowOf<typeof StoredShop>): Shop {
    const shop = { ...found, accessScopes: found.accessScopes ?? [...this.#requestedScopes] }
    const entry = { shop, until: performance.now() + CACHED_MS }
    this.#byStore.set(shop.storeId, entry)
    this.#byDomain.set(shop.domain, entry)
    return shop
  }
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** `Platform` or `Shopify`: the middle word of header names in this shop's profile. */
export function headerWord(shop: Pick<Shop, 'profile'>): 'Platform' | 'Shopify' {
  return shop.profile === 'shopify' ? 'Shopify' : 'Platform'
}
