import type { TaggedKind } from '#platform'

/** Whose tags they are: a row of members or of orders. */
export type TagOwner = { kind: TaggedKind; ownerId: number }

/**
 * Who wants a tag. A later module adds a line here and calls `setWantedTags` with it; two sources may want the same tag, which stays
 * until neither does.
 */
export const TAG_SOURCES = {
  customer: ['membership', 'loyalty', 'churn'],
  order: ['classification']
} as const satisfies Record<TaggedKind, readonly string[]>
export type TagSource<Kind extends TaggedKind = TaggedKind> = (typeof TAG_SOURCES)[Kind][number]

/** The tag of those who hold an active membership of a type (spec 3, tags). A product subscription gives none. */
export const ACTIVE_TAGS = { vip: 'SVC: VIP: Active', elite: 'SVC: Elite: Active', product: null } as const
export type PlanType = keyof typeof ACTIVE_TAGS

/** Who has ever accepted an offer of churn, and who has an active one (spec 3, tags). */
export const OFFER_TAGS = { ever: 'SVC: Churn_Offer', active: 'SVC: Churn_Offer: Active' } as const

/** What a customer holds: the types of the plans of their active subscriptions, and whether the platform still has the customer. */
export type HeldMemberships = { activeTypes: PlanType[]; isDeleted: boolean }

/** The tags of a customer: a pure function of what they hold. */
export function membershipTags({ activeTypes, isDeleted }: HeldMemberships): string[] {
  if (isDeleted) return []
  return [...new Set(activeTypes)].flatMap((type) => ACTIVE_TAGS[type] ?? []).sort()
}
