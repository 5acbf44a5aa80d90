import { Type } from 'typebox'

/** Names a billing attempt in a path. */
export const AttemptParams = Type.Object({
  attempt_id: Type.String({ description: 'a billing attempt id', examples: ['ba_154'] })
})
