import { Type } from 'typebox'
import { CustomerBody, PersonBody } from '../customer.ts'
import { exampleOf } from '../example-of.ts'
import { OrNull } from '../fields.ts'
import { MemberBody } from '../member.ts'
import { changesOf } from './changes.ts'
import { defineEvent } from './define-event.ts'

const member_id = Type.String({ description: 'The member id, `mem_24`' })
const member = { member_id, ...MemberBody.properties }
const person = { member_id: 'mem_24', customer: exampleOf(PersonBody) }

const changes = changesOf({
  email: CustomerBody.properties.email,
  first_name: CustomerBody.properties.first_name,
  last_name: CustomerBody.properties.last_name,
  birth_date: MemberBody.properties.birth_date,
  plan_id: MemberBody.properties.plan_id,
  plan_name: MemberBody.properties.plan_name
})

const tier = Type.Object(
  {
    previous: OrNull(Type.String({ description: 'Before the change' })),
    new: OrNull(Type.String({ description: 'After the change' }))
  },
  { description: 'The tier; null before the first one and after the last membership' }
)

const points = Type.Object(
  {
    previous_balance: Type.Integer({ description: 'Before the change' }),
    new_balance: Type.Integer({ description: 'After the change' }),
    change: Type.Integer({ description: 'The difference; negative when points were deducted' })
  },
  { description: 'The balance of loyalty points' }
)

const BEGAN = '2026-09-15T05:25:00.000Z'

export const memberEvents = {
  'member.created': defineEvent('A customer became a member', member, MemberBody, {
    shownAt: BEGAN,
    member_id: 'mem_24',
    loyalty_points: 0,
    store_credit_balance: 0,
    next_billing_date: '2026-10-15T05:25:00.000Z',
    updated_at: BEGAN
  }),
  'member.updated': defineEvent(
    'A field of a member changed that no other event reports',
    { ...member, changes },
    MemberBody,
    {
      shownAt: '2026-11-15T06:25:00.000Z',
      member_id: 'mem_24',
      changes: { last_name: { from: 'Itoh', to: 'Ito' } }
    }
  ),
  'member.tier_changed': defineEvent('The tier of a member changed', { member_id, customer: PersonBody, tier }, null, {
    ...person,
    tier: { previous: 'VIP', new: 'Elite' }
  }),
  'member.points_changed': defineEvent(
    'The balance of loyalty points changed',
    {
      member_id,
      customer: PersonBody,
      points,
      reason: Type.String({ description: 'The reason, as text' }),
      order_id: OrNull(Type.String({ description: 'The order that the points came from' }))
    },
    null,
    {
      ...person,
      points: { previous_balance: 100, new_balance: 120, change: 20 },
      reason: 'Welcome gift',
      order_id: null
    }
  )
} as const
