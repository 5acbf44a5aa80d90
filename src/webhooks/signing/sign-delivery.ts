import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** The two keys that come from one secret, ready for use. */
export type SigningKeys = { contract: KeyObject; standard: KeyObject }

/** A signing secret as its owner sees it, once: `whsec_` and the base64 of 32 random bytes. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/**
 * `X-Svc-Signature` is keyed with the text of the secret as it is shown; Standard Webhooks with the bytes that the base64
 * after `whsec_` encodes, as its libraries do. A receiver configures the same text for both.
 */
export function signingKeys(secret: string): SigningKeys {
  return {
    contract: createSecretKey(secret, 'utf8'),
    standard: createSecretKey(secret.slice(PREFIX.length), 'base64')
  }
}

/** `previous` is the secret that is being rolled, until its time is up. */
export type Signers = { current: SigningKeys; previous: SigningKeys | null }

/**
 * What goes with the body, as a flat list of names and values: headers that let a receiver prove where exactly these
 * bytes come from, and when they were sent: at `sentAtMs`, epoch milliseconds of real time, also under a test clock, since
 * receivers compare it with their own; and the number of the event, by which it can sort. A sample has none. While a secret is
 * being rolled, X-Svc-Signature is made with the old secret, so
 * that a receiver that knows no other continues to work; X-Svc-Signature-Next is made with the new one, and
 * webhook-signature has both.
 */
export function deliveryHeaders(
  {
    signers: { current, previous },
    webhookId,
    sequence,
    isSample
  }: { signers: Signers; webhookId: string; sequence: number | null; isSample: boolean },
  body: Buffer,
  sentAtMs: number
): string[] {
  const sentAtSeconds = Math.floor(sentAtMs / 1000)
  const contract = (keys: SigningKeys) => `sha256=${createHmac('sha256', keys.contract).update(body).digest('hex')}`
  const standard = (keys: SigningKeys) =>
    `v1,${createHmac('sha256', keys.standard).update(`${webhookId}.${sentAtSeconds}.`).update(body).digest('base64')}`
  return [
    'content-type',
    'application/json',
    'user-agent',
    'Perennial-Webhooks/1',
    'x-svc-signature',
    contract(previous ?? current),
    ...(previous ? ['x-svc-signature-next', contract(current)] : []),
    'webhook-id',
    webhookId,
    'webhook-timestamp',
    String(sentAtSeconds),
    'webhook-signature',
    previous ? `${standard(current)} ${standard(previous)}` : standard(current),
    ...(sequence === null ? [] : ['x-svc-sequence', String(sequence)]),
    ...(isSample ? ['x-svc-test', 'true'] : [])
  ]
}

/** What a stored signing secret is sealed for. */
export function secretPurpose(storeId: number): string {
  return `webhook_endpoints.secret:${storeId}`
}
