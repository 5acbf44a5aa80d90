import { Type } from 'typebox'
import { StoreParams } from '../store.ts'

/** Names a webhook endpoint of a store in a path. */
export const EndpointParams = Type.Object({
  ...StoreParams.properties,
  endpoint: Type.String({ description: 'a webhook endpoint id such as we_2', examples: ['we_2'] })
})
