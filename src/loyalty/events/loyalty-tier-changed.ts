import { defineFact } from '#kit/outbox'

/** A tier of loyalty was created or changed. */
export const loyaltyTierChanged = defineFact('loyalty_tier.changed', ({ id }: { id: number }) => ({
  orderingKey: `loyalty_tier:${id}`,
  data: { id },
  refs: {}
}))
