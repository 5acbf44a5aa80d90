import { randomBytes } from 'node:crypto'
import { isTimezone } from '#kit/clock'
import { isCurrency } from '#kit/money'
import { sql } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { ChargeFaults } from '../billing/charge-faults.ts'
import { ensureCatalogue } from '../catalogue.ts'
import type { Platform } from '../http.ts'
import { hashToken } from '../shop.ts'
import { isIssued } from '../state/oauth-tokens.ts'
import { adoptShop } from './adopt-shop.ts'
import { checkedFaults } from './faults/set-charge-faults.ts'

export type NewShop = {
  storeId: number
  domain: string
  name: string
  timezone: string
  currency: string
  profile: 'platform' | 'shopify'
  accessToken: string
  appSecret: string
  proxySecret: string
  /** The target of requests under /apps/svc-api, e.g. http://127.0.0.1:3000/apps/svc-api. */
  appProxyUrl: string | null
  /** Scopes granted to the app; default: those that the app requests. */
  accessScopes?: string[]
  /** The size and refill per second of the query-cost bucket. */
  costCapacity?: number
  costRestoreRate?: number
  /** The time until a billing attempt is resolved, by the shop's clock. */
  resolveDelaySeconds?: number
  /** Faults of its charges; a shop that exists keeps its own. Default: those of the platform's options. */
  chargeFaults?: ChargeFaults | null
}

/** Creates a shop, or updates the existing one. */
export async function createShop({ db, shops, newShopFaults }: Platform, input: NewShop): Promise<void> {
  if (!isTimezone(input.timezone)) throw invalidField('timezone', 'must be an IANA time zone such as Europe/Berlin')
  if (!isCurrency(input.currency)) throw invalidField('currency', 'must be an ISO 4217 code such as USD')
  const at = Temporal.Now.instant()
  await adoptShop({ db, shops }, input)
  // A token that expires must not become the shop's own one, which does not.
  const isOwn = !(await isIssued(db.direct, input.storeId, input.accessToken))
  const ownHash = hashToken(isOwn ? input.accessToken : randomBytes(24).toString('hex'))
  const faults = input.chargeFaults === undefined ? newShopFaults : input.chargeFaults
  await db.direct.run(sql`
    insert into sandbox.shops (store_id, domain, name, email, timezone, currency, profile, access_token_hash, app_secret,
                               proxy_secret, app_proxy_url, access_scopes, cost_capacity, cost_restore_rate,
                               resolve_delay_seconds, charge_faults, created_at)
    values (${input.storeId}, ${input.domain.toLowerCase()}, ${input.name}, ${`owner@${input.domain}`}, ${input.timezone},
            ${input.currency}, ${input.profile}, ${ownHash}, ${input.appSecret}, ${input.proxySecret},
            ${input.appProxyUrl}, ${input.accessScopes ?? null}, ${input.costCapacity ?? 100_000},
            ${input.costRestoreRate ?? 50_000}, ${input.resolveDelaySeconds ?? 0}, ${faults && JSON.stringify(checkedFaults(faults))}::jsonb, ${at})
    on conflict (store_id) do update
       set domain = excluded.domain, name = excluded.name, timezone = excluded.timezone, currency = excluded.currency,
           profile = excluded.profile, access_token_hash = case when ${isOwn} then excluded.access_token_hash else shops.access_token_hash end, app_secret = excluded.app_secret,
           proxy_secret = excluded.proxy_secret, app_proxy_url = excluded.app_proxy_url,
           access_scopes = excluded.access_scopes, cost_capacity = excluded.cost_capacity,
           cost_restore_rate = excluded.cost_restore_rate, resolve_delay_seconds = excluded.resolve_delay_seconds`)
  shops.forget(input.storeId)
  await ensureCatalogue(db.direct, input, at)
}
