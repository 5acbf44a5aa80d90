import { Type } from 'typebox'

/** Names a member in a path. */
export const MemberParams = Type.Object({
  member_id: Type.String({ description: 'a member id', examples: ['mem_24'] })
})
