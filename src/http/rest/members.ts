import { Type } from 'typebox'
import { internalId } from '#kit/ids'
import type { Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { MemberBody } from '#resources'
import { findMember, listMembers } from '#views'
import type { Surface } from '../shared/surface.ts'
import { callerOf } from './caller.ts'
import { Envelope, envelope, NOTHING, PagingFields, pageEnvelope, pagingOf } from './envelope.ts'
import { idField, StatusFilter, textField } from './fields.ts'
import { presentMember } from './present-member.ts'

/** Spec 1, Endpoints: /members. */
export function registerMembers(rest: Surface, db: Database): void {
  rest.get(
    '/members',
    {
      config: { scope: 'read:members' },
      schema: {
        operationId: 'listMembers',
        summary: 'List members',
        description: 'Newest `created_at` first; among equals the higher id.',
        querystring: Type.Object({
          ...PagingFields,
          status: StatusFilter({ meaning: 'Members with this status' }),
          plan_id: idField('a plan id', { meaning: 'Members whose present plan it is', examples: ['plan_1'] }),
          email: textField('an e-mail address', 320, {
            meaning: 'Exactly this address, whatever its case',
            examples: ['hanna.ito@example.com']
          })
        }),
        response: { 200: Envelope(Type.Array(MemberBody)) }
      }
    },
    async (request) => {
      const { storeId, profile } = callerOf(request)
      const { status, plan_id, email } = request.query
      const paging = pagingOf(request.query)
      const planId = plan_id === undefined ? undefined : internalId('plan', plan_id)
      const { rows, total } =
        planId === null ? NOTHING : await listMembers(db.direct, storeId, { status, planId, email, ...paging })
      return pageEnvelope(
        rows.map((member) => presentMember(member, profile)),
        total,
        paging
      )
    }
  )

  rest.get(
    '/members/:member_id',
    {
      config: { scope: 'read:members' },
      schema: {
        operationId: 'getMember',
        summary: 'Read a member',
        description: 'One member by id.',
        params: Type.Object({ member_id: Type.String({ description: 'a member id', examples: ['mem_24'] }) }),
        response: { 200: Envelope(MemberBody) }
      }
    },
    async (request) => {
      const { storeId, profile } = callerOf(request)
      const id = internalId('mem', request.params.member_id)
      const member = id === null ? null : await findMember(db.direct, storeId, id)
      if (!member) throw new Refusal('not_found', `There is no member ${request.params.member_id.slice(0, 100)}`)
      return envelope(presentMember(member, profile))
    }
  )
}
