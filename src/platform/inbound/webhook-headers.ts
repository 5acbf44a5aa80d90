import { PROFILES, type ProfileName } from '../wire/platform-profiles.ts'

export type WebhookHeaders = {
  profile: ProfileName
  /** `orders/paid`; the newer topics are dotted: `customer.tags_added`. */
  topic: string
  /** The shop, in lower case. Not trustworthy before the signature is checked. */
  shopDomain: string
  signature: string
  /** Identifies the delivery; a repetition has the same id. */
  webhookId: string
  triggeredAt: Temporal.Instant | null
}

type IncomingHeaders = Record<string, string | string[] | undefined>

const MAX_LENGTH = 255
/** HMAC-SHA256 in base64: 32 bytes. */
const SIGNATURE = /^[A-Za-z0-9+/]{43}=$/

/**
 * The platform's headers of an inbound webhook, in the spelling of either profile; null when a required one is missing or too
 * long, or the signature cannot be one. `headers` has lower-case names, as Node provides them.
 */
export function readWebhookHeaders(headers: IncomingHeaders): WebhookHeaders | null {
  const profile = (Object.keys(PROFILES) as ProfileName[]).find((name) => read(headers, name, 'hmac-sha256'))
  if (!profile) return null
  const signature = read(headers, profile, 'hmac-sha256')
  const topic = read(headers, profile, 'topic')
  const shopDomain = read(headers, profile, 'shop-domain')
  const webhookId = read(headers, profile, 'webhook-id')
  if (!signature || !topic || !shopDomain || !webhookId) return null
  if (!SIGNATURE.test(signature)) return null
  const triggeredAt = instantOrNull(read(headers, profile, 'triggered-at'))
  return { profile, topic, shopDomain: shopDomain.toLowerCase(), signature, webhookId, triggeredAt }
}

function read(headers: IncomingHeaders, profile: ProfileName, name: string): string | null {
  const value = headers[PROFILES[profile].webhookHeaderPrefix + name]
  return typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH ? value : null
}

/** The time is used only for display and order, so an unreadable one is no reason to refuse the message. */
function instantOrNull(text: string | null): Temporal.Instant | null {
  try {
    return text === null ? null : Temporal.Instant.from(text)
  } catch {
    return null
  }
}
