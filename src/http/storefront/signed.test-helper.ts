import { createHmac } from 'node:crypto'
import type { BuiltStore } from '../../../test/store-builder.ts'

/** The query that the platform's proxy puts behind a request: these parameters, and its own, signed. */
export function signedQuery(
  store: Pick<BuiltStore, 'domain' | 'credentials'>,
  parameters: Record<string, string | string[]> = {},
  { secret = store.credentials.proxySecret, customerId = '' }: { secret?: string; customerId?: string } = {}
): string {
  const all: Record<string, string | string[]> = {
    shop: store.domain,
    path_prefix: '/apps/svc-api',
    timestamp: String(Math.floor(Date.now() / 1000)),
    logged_in_customer_id: customerId,
    ...parameters
  }
  const canonical = Object.entries(all)
    .map(([key, values]) => `${key}=${[values].flat().join(',')}`)
    .sort()
    .join('')
  const signature = createHmac('sha256', secret).update(canonical).digest('hex')
  const pairs = Object.entries(all).flatMap(([key, values]) => [values].flat().map((value) => [key, value]))
  return new URLSearchParams([...pairs, ['signature', signature]]).toString()
}
