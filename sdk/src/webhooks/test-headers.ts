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
}

/** The headers that the service would send with a body, for the tests of a receiver. */
export async function testHeaders(
  rawBody: RawBody,
  secret: string,
  { webhookId, sentAt = new Date() }: TestHeadersOptions = {}
): Promise<Record<string, string>> {
  const body = bytesOf(rawBody)
  const id = webhookId ?? webhookIdOf(new TextDecoder().decode(body))
  const timestamp = String(Math.floor(sentAt.getTime() / 1000))
  const contract = await sign(await contractKey(secret), body)
  const standard = await sign(await standardKey(secret), standardContent(id, timestamp, body))
  return {
    'content-type': 'application/json',
    'x-svc-signature': `sha256=${hexOf(contract)}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${base64Of(standard)}`
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
