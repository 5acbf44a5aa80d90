import { defineFact } from '#kit/outbox'

/** A plan was made, or its terms or perks are others. */
export const planChanged = defineFact('plan.changed', (planId: number) => ({
  orderingKey: `plan:${planId}`,
  data: {},
  refs: { planId }
}))
