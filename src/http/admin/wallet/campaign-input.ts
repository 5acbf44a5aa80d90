import { internalId } from '#kit/ids'
import { invalidField } from '#kit/refusal'
import { type CampaignInput, campaignNotFound } from '#wallet'

type Given = {
  title?: string
  text?: string
  image?: string
  enabled?: boolean
  starts_at?: string | null
  ends_at?: string | null
}

/** The number of the campaign in a path. */
export function campaignIdOf(given: string): number {
  const id = internalId('wpc', given)
  if (id === null) throw campaignNotFound(given)
  return id
}

/** What is given of a campaign. */
export function campaignChange(given: Given): Partial<CampaignInput> {
  const { title, text, image, enabled, starts_at, ends_at } = given
  return {
    ...(title !== undefined && { title }),
    ...(text !== undefined && { message: text }),
    ...(image !== undefined && { image }),
    ...(enabled !== undefined && { isEnabled: enabled }),
    ...(starts_at !== undefined && { startsAt: instantOf('starts_at', starts_at) }),
    ...(ends_at !== undefined && { endsAt: instantOf('ends_at', ends_at) })
  }
}

/** Whole seconds, as the metafield has them. */
function instantOf(field: string, given: string | null): Temporal.Instant | null {
  if (given === null) return null
  try {
    return Temporal.Instant.from(given).round({ smallestUnit: 'second', roundingMode: 'floor' })
  } catch {
    throw invalidField(field, 'must be a time such as 2026-11-27T08:00:00Z, or null')
  }
}
