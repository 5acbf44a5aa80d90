import type { ProfileName } from './profiles.ts'

export type WebhookHeaders = {
  profile: ProfileName
  topic: string
  /** Lower case: which store it is about. Believe it only once the signature holds. */
  shopDomain: string
  signature: string
  /** One per delivery, the same at each repetition. */
  webhookId: string
  triggeredAt: Temporal.Instant | null
}

/** The platform's headers of an inbound webhook in either spelling; null when they are not all there. */
export function readWebhookHeaders(_headers: Record<string, string | string[] | undefined>): WebhookHeaders | null {
  throw new Error('being written')
}
