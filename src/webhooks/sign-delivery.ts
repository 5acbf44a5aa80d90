import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** The two keys that come from one secret, ready for use. */
export type SigningKeys = { contract: KeyObject; standard: KeyObject }

/** A signing secret as its owner sees it, once: `whsec_` and the base64 of 32 random bytes. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/**
 * `X-Svc-Signature` is keyed with the text of the secret just as it is shown; Standard Webhooks with the bytes that the
 * part after `whsec_` stands for, as its libraries take it. A receiver puts the same text into either.
 */
export function signingKeys(secret: string): SigningKeys {
  return {
    contract: createSecretKey(secret, 'utf8'),
    standard: createSecretKey(secret.slice(PREFIX.length), 'base64')
  }
}

/** The headers that let a receiver prove where exactly these bytes come from, and when they were sent. */
export function signatureHeaders(
  keys: SigningKeys,
  { webhookId, body, sentAtSeconds }: { webhookId: string; body: Buffer; sentAtSeconds: number }
): Record<string, string> {
  const standard = createHmac('sha256', keys.standard).update(`${webhookId}.${sentAtSeconds}.`).update(body)
  return {
    'x-svc-signature': `sha256=${createHmac('sha256', keys.contract).update(body).digest('hex')}`,
    'webhook-id': webhookId,
    'webhook-timestamp': String(sentAtSeconds),
    'webhook-signature': `v1,${standard.digest('base64')}`
  }
}

/** What a stored signing secret is sealed for. */
export function secretPurpose(storeId: number): string {
  return `webhook_endpoints.secret:${storeId}`
}
