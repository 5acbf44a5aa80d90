import type { Static } from 'typebox'
import { definePublicFact } from '#kit/outbox'
import { Changes, CustomerBody, defineEvent, MemberBody } from '#resources'
import type { StoreContext } from '#stores'
import type { MemberSnapshot } from '../queries.ts'
import { about, memberFields, memberPayload } from './member-event.ts'

const { email, first_name, last_name } = CustomerBody.properties
const { birth_date, plan_id, plan_name } = MemberBody.properties

const changes = Changes({ email, first_name, last_name, birth_date, plan_id, plan_name })

/** `changed` has each changed field as {from, to}. */
export const memberUpdated = definePublicFact(
  'member.updated',
  defineEvent({
    summary: 'A field of a member changed that no other event reports',
    fields: { ...memberFields, changes },
    like: MemberBody,
    shown: {
      shownAt: '2026-11-15T06:25:00.000Z',
      member_id: 'mem_24',
      changes: { last_name: { from: 'Itoh', to: 'Ito' } }
    }
  }),
  (member: MemberSnapshot, changed: Static<typeof changes>, store: StoreContext) => ({
    ...about(member),
    data: { ...memberPayload(member, store), changes: changed }
  })
)
