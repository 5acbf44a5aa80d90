import { Type } from 'typebox'
import { text } from '../fields.ts'
import { StoreParams } from '../store.ts'

/** Names a delivery of a store in a path. */
export const DeliveryParams = Type.Object({
  ...StoreParams.properties,
  webhook_id: Type.String({
    description: 'the webhook_id of a delivery',
    examples: ['wh_d9d197bd3365471a868632ad050fd207']
  })
})

/** Names one endpoint in a filter. */
export const endpointId = () =>
  Type.Optional(
    text(30, 'a webhook endpoint id such as we_2', {
      meaning: 'Only this endpoint; a deleted one too',
      examples: ['we_2']
    })
  )
