import { defineFact } from '#kit/outbox'

/** A coupon template of loyalty was created or changed, or has begun or ended. */
export const loyaltyTemplateChanged = defineFact('loyalty_template.changed', ({ id }: { id: number }) => ({
  orderingKey: `loyalty_template:${id}`,
  data: { id },
  refs: {}
}))
