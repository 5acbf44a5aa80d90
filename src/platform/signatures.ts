/** The outcome of checking a request that came through the platform's app proxy. */
export type ProxyCheck =
  | { ok: true; shop: string; loggedInCustomerId: string | null; pathPrefix: string }
  | { ok: false; reason: ProxyRefusal }

export type ProxyRefusal = 'unsigned' | 'repeated_parameter' | 'malformed' | 'bad_signature' | 'stale'

export function verifyWebhookSignature(_rawBody: Buffer, _signature: string, _secret: string): boolean {
  throw new Error('being written')
}

export function verifyProxyQuery(_rawQuery: string, _secret: string, _now: Temporal.Instant): ProxyCheck {
  throw new Error('being written')
}
