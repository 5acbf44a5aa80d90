import { internalId } from '#kit/ids'
import { type CampaignInput, campaignNotFound } from '#wallet'
import { secondOrNull } from '../fields.ts'

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
    ...(starts_at !== undefined && { startsAt: secondOrNull('starts_at', starts_at) }),
    ...(ends_at !== undefined && { endsAt: secondOrNull('ends_at', ends_at) })
  }
}
