import { invalidField } from '#kit/refusal'
import { encodeMetafield } from '#platform'
import type { Plan } from '../plan.ts'
import { collectionIdsOf, collectionsOf, MAX_COLLECTIONS } from '../plan-collections.ts'
import type { Scope } from '../pricing/perks.ts'
import { planSettingsField } from './plan-settings-fields.ts'
import { planSettingsOf, type SaidOfPlan } from './plan-settings-of.ts'

/** A discount function does not see the value of a metafield that is longer. */
const MAX_BYTES = 10_000

/** What is not known yet, or changes without an edit of the perks, is counted as long as it can be. */
const LONGEST = {
  priceMinor: Number.MAX_SAFE_INTEGER,
  platformProductId: '9'.repeat(20),
  platformVariantId: '9'.repeat(20),
  platformSellingPlanId: '9'.repeat(20)
}

/**
 * Refuses perks that a discount function could not read, naming the field and the limit. `other`: the main plan of the other type, whose
 * collections are counted too.
 */
export function assertReadable(
  plan: Omit<SaidOfPlan, keyof typeof LONGEST>,
  other: Pick<Plan, 'perks' | 'name'> | null
): void {
  if (plan.type === 'product') return
  assertFewCollections(plan, other)
  const value = planSettingsOf({ ...plan, ...LONGEST }, { vipDiscount: true })
  const bytes = Buffer.byteLength(encodeMetafield({ type: 'json', field: planSettingsField } as never, value))
  if (bytes <= MAX_BYTES) return
  throw invalidField(
    longestOf(plan),
    `must be shorter: the settings of the plan come to ${bytes} bytes, and a discount function reads at most ${MAX_BYTES}`
  )
}

type Perked = Pick<Plan, 'perks'>

/** Refuses main plans that have more collections together than a discount function reads. */
function assertFewCollections({ perks }: Perked, other: (Perked & Pick<Plan, 'name'>) | null): void {
  const [own, others] = [collectionsOf({ perks }), other ? collectionsOf(other) : []]
  const count = new Set([...own, ...others]).size
  if (own.length === 0 || count <= MAX_COLLECTIONS) return
  const isOfDiscount =
    collectionIdsOf(perks.discount?.scope).length >= collectionIdsOf(perks.welcomeOffer?.scope).length
  const counted = others.length > 0 ? `, counted with those of the main plan ${other!.name}` : ''
  throw invalidField(
    `perks.${isOfDiscount ? 'discount' : 'welcome_offer'}.collection_ids`,
    `must come to at most ${MAX_COLLECTIONS} collections of all perks in all${counted}: they are ${count}`
  )
}

/** The field that takes most of the room. */
function longestOf({
  perks: { discount, welcomeOffer, freeShipping },
  allowedCountries
}: Perked & Pick<Plan, 'allowedCountries'>) {
  const scoped = (field: string, scope: Scope | undefined): [string, unknown][] =>
    scope?.appliesTo === 'product'
      ? [[`${field}.product_ids`, scope.productIds]]
      : scope?.appliesTo === 'collection'
        ? [[`${field}.collection_ids`, scope.collectionIds]]
        : []
  const parts: [string, unknown][] = [
    ['allowed_countries', allowedCountries],
    ...scoped('perks.discount', discount?.scope),
    ['perks.discount.steps', discount?.steps ?? []],
    ...scoped('perks.welcome_offer', welcomeOffer?.scope),
    ['perks.free_shipping', freeShipping ?? null]
  ]
  const bytes = (part: unknown) => JSON.stringify(part).length
  return parts.toSorted(([, a], [, b]) => bytes(b) - bytes(a))[0]![0]
}
