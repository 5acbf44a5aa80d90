import { defineFact } from '#kit/outbox'

/** A rule of loyalty was created, changed or archived, or has begun or ended. */
export const loyaltyRuleChanged = defineFact('loyalty_rule.changed', ({ id }: { id: number }) => ({
  orderingKey: `loyalty_rule:${id}`,
  data: { id },
  refs: {}
}))
