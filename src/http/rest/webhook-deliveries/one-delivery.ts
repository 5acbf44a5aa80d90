import { type Static, Type } from 'typebox'
import type { Ctx } from '#kit/postgres'
import { type DeliveryDetail, deliveryNotFound, findDelivery } from '#webhooks'

/** Names a delivery in a path. */
export const DeliveryParams = Type.Object({
  delivery_id: Type.String({
    description: 'the `webhook_id` of a delivery',
    examples: ['wh_d9d197bd3365471a868632ad050fd207']
  })
})

/** The delivery of a path. Those of listeners (`perennial listen`) are the operator's: here they are unknown. */
export async function deliveryIn(
  ctx: Ctx,
  { params: { delivery_id: id } }: { params: Static<typeof DeliveryParams> }
): Promise<DeliveryDetail> {
  const found = await findDelivery(ctx, id)
  if (found?.endpointKind !== 'url') throw deliveryNotFound(id)
  return found
}
