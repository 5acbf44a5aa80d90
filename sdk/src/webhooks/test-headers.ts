import {
  base64Of,
  bytesOf,
  contractKey,
  hexOf,
  type RawBody,
  sign,
  standardContent,
  standardKey
} from './signatures.ts'

export type TestHeadersOptions = {
  /** What names the delivery; that of the body unless told. */
  webhookId?: string
  /** When it was sent; now unless told. */
  sentAt?: Date
  /** The new secret, while the one given first is being rolled: the service signs with both then. */
  nextSecret?: string
}

/** The headers that the service would send with a body, for the tests of a receiver. */
export async function testHeaders(
  rawBody: RawBody,
  secret: string,
  { webhookId, sentAt = new Date(), nextSecret }: TestHeadersOptions = {}
): Promise<Record<string, string>> {
  const body = bytesOf(rawBody)
  const id = webhookId ?? webhookIdOf(new TextDecoder().decode(body))
  const timestamp = String(Math.floor(sentAt.getTime() / 1000))
  const content = standardContent(id, timestamp, body)
  const contract = async (one: string) => `sha256=${hexOf(await sign(await contractKey(one), body))}`
  const standard = async (one: string) => `v1,${base64Of(await sign(await standardKey(one), content))}`
  const signatures = await Promise.all([...(nextSecret ? [nextSecret] : []), secret].map(standard))
  return {
    'content-type': 'application/json',
    'x-svc-signature': await contract(secret),
    ...(nextSecret ? { 'x-svc-signature-next': await contract(nextSecret) } : {}),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' ')
  }
}

/** A body that is no event is named so too: a receiver is tested with broken ones as well. */
function webhookIdOf(body: string): string {
  try {
    const { webhook_id } = JSON.parse(body) as { webhook_id?: unknown }
    if (typeof webhook_id === 'string') return webhook_id
  } catch {}
  return 'wh_test'
}
