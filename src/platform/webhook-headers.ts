import { PROFILES, type ProfileName } from './profiles.ts'

export type WebhookHeaders = {
  profile: ProfileName
  /** `orders/paid`; the newer topics are dotted: `customer.tags_added`. */
  topic: string
  /** Lower case: which store it is about. Believe it only once the signature holds. */
  shopDomain: string
  signature: string
  /** One per delivery, the same at each repetition. */
  webhookId: string
  triggeredAt: Temporal.Instant | null
}

type IncomingHeaders = Record<string, string | string[] | undefined>

const MAX_LENGTH = 255

/**
 * The platform's headers of an inbound webhook, in whichever profile's spelling; null when one that is needed is
 * missing or overlong. Names are lower case, as Node gives them.
 */
export function readWebhookHeaders(headers: IncomingHeaders): WebhookHeaders | null {
  const profile = (Object.keys(PROFILES) as ProfileName[]).find((name) => read(headers, name, 'hmac-sha256'))
  if (!profile) return null
  const signature = read(headers, profile, 'hmac-sha256')
  const topic = read(headers, profile, 'topic')
  const shopDomain = read(headers, profile, 'shop-domain')
  const webhookId = read(headers, profile, 'webhook-id')
  if (!signature || !topic || !shopDomain || !webhookId) return null
  const triggeredAt = instantOrNull(read(headers, profile, 'triggered-at'))
  return { profile, topic, shopDomain: shopDomain.toLowerCase(), signature, webhookId, triggeredAt }
}

function read(headers: IncomingHeaders, profile: ProfileName, name: string): string | null {
  const value = headers[PROFILES[profile].webhookHeaderPrefix + name]
  return typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH ? value : null
}

/** Only for showing and ordering, so a time that cannot be read is no reason to refuse the message. */
function instantOrNull(text: string | null): Temporal.Instant | null {
  try {
    return text === null ? null : Temporal.Instant.from(text)
  } catch {
    return null
  }
}
