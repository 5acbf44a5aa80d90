import { createHmac } from 'node:crypto'
import { equalInConstantTime } from '#kit/secrets'

/** Whether the base64 HMAC-SHA256 of an inbound webhook is right. It covers the raw bytes: parsed and printed again they differ. */
export function verifyWebhookSignature(rawBody: Buffer, signature: string, secret: string): boolean {
  return equalInConstantTime(signature, createHmac('sha256', secret).update(rawBody).digest('base64'))
}
