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
  /** The id of the delivery. Default: that of the body. */
  webhookId?: string
  /** When it was sent. Default: now. */
  sentAt?: Date
  /** The new secret during a rotation, in which the service signs with both. */
  nextSecret?: string
}

/** The headers of the service for a body, for tests of a receiver. */
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

/** Also for bodies that are not events, because receivers are tested with broken ones too. */
function webhookIdOf(body: string): string {
  try {
    const { webhook_id } = JSON.parse(body) as { webhook_id?: unknown }
    if (typeof webhook_id === 'string') return webhook_id
  } catch {}
  return 'wh_test'
}
