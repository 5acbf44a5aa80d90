import { type Static, Type } from 'typebox'
import { publicId } from '#kit/ids'
import { definePublicFact } from '#kit/outbox'
import { defineEvent, exampleOf, OrNull, PersonBody } from '#resources'
import { about, member_id } from './member-event.ts'

const tier = Type.Object(
  {
    previous: OrNull(Type.String({ description: 'Before the change' })),
    new: OrNull(Type.String({ description: 'After the change' }))
  },
  { description: 'The tier; null for none' }
)

const kind = Type.Union([Type.Literal('membership'), Type.Literal('loyalty')], {
  description: '`membership`: the tier that the plan grants; `loyalty`: the tier of loyalty'
})

export const tierChanged = definePublicFact(
  'member.tier_changed',
  defineEvent({
    summary: 'The tier of a member changed',
    fields: { member_id, customer: PersonBody, tier, kind },
    shown: {
      member_id: 'mem_24',
      customer: exampleOf(PersonBody),
      tier: { previous: 'VIP', new: 'Elite' },
      kind: 'membership'
    }
  }),
  (member: { id: number; email: string | null }, changed: Static<typeof tier>, ofKind: Static<typeof kind>) => ({
    ...about(member),
    data: {
      member_id: publicId('mem', member.id),
      customer: { id: publicId('cust', member.id), email: member.email },
      tier: changed,
      kind: ofKind
    }
  })
)
