import { Type } from 'typebox'
import { StoreParams } from '../store.ts'

/** Names a listener of a store in a path. */
export const ListenerParams = Type.Object({
  ...StoreParams.properties,
  listener: Type.String({ description: 'the id that opening the listener gave, such as we_9', examples: ['we_4'] })
})
