import { Type } from 'typebox'
import { StoreParams } from '../store.ts'

/** Names a plan of a store in a path. */
export const PlanParams = Type.Object({
  ...StoreParams.properties,
  plan: Type.String({ description: 'a plan id such as plan_3', examples: ['plan_3'] })
})
