import { publicId } from '#kit/ids'
import { listOf, meaning, objectOf, orNull, textOf, utcInstant, type ValueOf, word } from '#kit/json-fields'
import { MAX_METAFIELD_BYTES } from '#platform'
import { campaignsTooLong } from '../refusals.ts'
import type { Campaign } from './campaign.ts'

/** As many as the metafield of the shop lists. */
export const MAX_CAMPAIGNS = 100

/** The sale campaigns as the metafield of the shop has them. */
export const saleCampaignsField = listOf(
  objectOf({
    id: meaning('Its id', textOf(50, 1)),
    status: meaning('active while it is enabled and within its dates', word('active', 'inactive')),
    pop_up_image: meaning('Path of its picture', textOf(1000)),
    pop_up_title: meaning('Its title', textOf(255)),
    pop_up_text: meaning('Its text', textOf(1000)),
    starts_at: meaning('From when on', orNull(utcInstant())),
    ends_at: meaning('Until when', orNull(utcInstant()))
  }),
  MAX_CAMPAIGNS
)

/** What the metafield of the shop says of the campaigns. */
export const saleCampaignsOf = (campaigns: Campaign[]): ValueOf<typeof saleCampaignsField> =>
  campaigns.map((one) => ({
    id: publicId('wpc', one.id),
    status: one.isActive ? 'active' : 'inactive',
    pop_up_image: one.image,
    pop_up_title: one.title,
    pop_up_text: one.message,
    starts_at: one.startsAt,
    ends_at: one.endsAt
  }))

/** The fields of a request that make the metafield longer, by the names that they have here. */
const LENGTHENING = {
  title: 'title',
  message: 'text',
  image: 'image',
  startsAt: 'starts_at',
  endsAt: 'ends_at'
} as const
type Lengthening = Partial<Pick<Campaign, keyof typeof LENGTHENING>>

/**
 * Refuses campaigns that are too long for the metafield of the shop, naming the longest field of what was given. `all`: as they
 * are after the change.
 */
export function assertFits(all: Campaign[], given: Lengthening): void {
  const bytes = bytesOf(all)
  if (bytes <= MAX_METAFIELD_BYTES) return
  const names = Object.keys(LENGTHENING) as (keyof typeof LENGTHENING)[]
  const length = (name: keyof typeof LENGTHENING) => Buffer.byteLength(JSON.stringify(given[name] ?? null))
  throw campaignsTooLong(LENGTHENING[names.toSorted((a, b) => length(b) - length(a))[0]!], bytes)
}

/** How long the campaigns are at most: each becomes inactive by itself, which is the longer word. */
export const bytesOf = (campaigns: Campaign[]): number =>
  Buffer.byteLength(
    JSON.stringify(saleCampaignsField.write(saleCampaignsOf(campaigns.map((one) => ({ ...one, isActive: false })))))
  )
