import { WebhookVerificationError } from './error.ts'
import type { WebhookEvent } from './events.ts'
import { type HeadersLike, headerOf } from './headers.ts'
import {
  type Bytes,
  bytesOf,
  bytesOfBase64,
  bytesOfHex,
  contractKey,
  isSigned,
  type RawBody,
  standardContent,
  standardKey
} from './signatures.ts'

export type VerifyOptions = {
  /** Accepted difference to the time of sending. Default: 5 minutes. */
  toleranceSeconds?: number
  /** Refuses a delivery without a timestamp. The service always sends one. */
  requireTimestamp?: boolean
  /** Milliseconds since 1970, for tests. */
  now?: () => number
}

/**
 * The event of a delivery, if it really comes from the service; throws WebhookVerificationError otherwise.
 *
 * `rawBody` is the body as received. Any of several secrets may have signed;
 * during a rotation the service signs with both, and either is enough. `X-Svc-Signature` is always required. The Standard Webhooks headers, if present, must be valid too: only their
 * signature holds the time of sending.
 */
export async function verify(
  rawBody: RawBody,
  headers: HeadersLike,
  secret: string | readonly string[],
  { toleranceSeconds = 300, requireTimestamp = false, now = Date.now }: VerifyOptions = {}
): Promise<WebhookEvent> {
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length === 0 || secrets.some((one) => typeof one !== 'string' || one === '')) {
    throw new TypeError('secret must be the text that was shown when the webhook was made, whsec_…')
  }
  const body = bytesOf(rawBody)
  await checkContractSignature(headers, body, secrets)
  const standard = standardHeaders(headers)
  if (standard) {
    await checkStandardSignature(standard, body, secrets)
    checkTimestamp(standard.timestamp, now() / 1000, toleranceSeconds)
  } else if (requireTimestamp) {
    throw new WebhookVerificationError('timestamp_missing', 'The delivery has no webhook-timestamp')
  }
  return eventOf(body, standard?.id)
}

async function checkContractSignature(headers: HeadersLike, body: Bytes, secrets: readonly string[]): Promise<void> {
  const given = headerOf(headers, 'x-svc-signature')
  if (!given) throw new WebhookVerificationError('signature_missing', 'The delivery has no X-Svc-Signature')
  const signatures = [given, headerOf(headers, 'x-svc-signature-next')]
    .map((one) => (one?.startsWith('sha256=') ? bytesOfHex(one.slice('sha256='.length)) : null))
    .filter((bytes) => bytes !== null)
  if (!(await anySigned(secrets.map(contractKey), signatures, body)))
    throw new WebhookVerificationError('signature_wrong', 'X-Svc-Signature is not that of this body')
}

type StandardHeaders = { id: string; timestamp: string; signature: string }

/** All three or none: one alone proves nothing. */
function standardHeaders(headers: HeadersLike): StandardHeaders | null {
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name)
  )
  if (!id && !timestamp && !signature) return null
  if (!timestamp) throw new WebhookVerificationError('timestamp_missing', 'The delivery has no webhook-timestamp')
  if (!id || !signature) {
    throw new WebhookVerificationError('signature_missing', 'The delivery has no webhook-id or no webhook-signature')
  }
  return { id, timestamp, signature }
}

async function checkStandardSignature(
  { id, timestamp, signature }: StandardHeaders,
  body: Bytes,
  secrets: readonly string[]
): Promise<void> {
  const signatures = signature
    .split(' ')
    .map((one) => (one.startsWith('v1,') ? bytesOfBase64(one.slice('v1,'.length)) : null))
    .filter((bytes) => bytes !== null)
  const content = standardContent(id, timestamp, body)
  if (await anySigned(secrets.map(standardKey), signatures, content)) return
  throw new WebhookVerificationError('signature_wrong', 'webhook-signature is not that of this delivery')
}

async function anySigned(keys: Promise<CryptoKey>[], signatures: Bytes[], content: Bytes): Promise<boolean> {
  const checked = (await Promise.all(keys)).flatMap((key) => signatures.map((one) => isSigned(key, one, content)))
  return (await Promise.all(checked)).includes(true)
}

function checkTimestamp(timestamp: string, nowSeconds: number, toleranceSeconds: number): void {
  const ageSeconds = nowSeconds - Number(timestamp)
  if (ageSeconds > toleranceSeconds) {
    throw new WebhookVerificationError('timestamp_too_old', `The delivery was sent ${Math.round(ageSeconds)} s ago`)
  }
  // Also when it is not a number.
  if (!(ageSeconds >= -toleranceSeconds)) {
    throw new WebhookVerificationError('timestamp_too_new', 'The delivery says that it was sent in the future')
  }
}

/** The body of a verified delivery. Refuses the webhook-id of another delivery. */
function eventOf(body: Bytes, webhookId: string | undefined): WebhookEvent {
  const event = parsed(body)
  const isEvent =
    typeof event === 'object' &&
    event !== null &&
    typeof event.event === 'string' &&
    typeof event.webhook_id === 'string' &&
    (webhookId === undefined || webhookId === event.webhook_id)
  if (!isEvent) throw new WebhookVerificationError('body_not_an_event', 'The body is signed, and is no event')
  return event
}

function parsed(body: Bytes): WebhookEvent | null {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookEvent
  } catch {
    return null
  }
}
