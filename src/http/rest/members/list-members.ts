import { Type } from 'typebox'
import { internalId } from '#kit/ids'
import { MemberBody } from '#resources'
import { listMembers } from '#views'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope, NOTHING, PagingFields, pageEnvelope, pagingOf } from '../envelope.ts'
import { idField, StatusFilter, textField } from '../fields.ts'
import { presentMember } from '../present-member.ts'

/** GET /members (spec 1, Endpoints). */
export function listMembersRoute(rest: Surface, { db }: RestDeps): void {
  rest.get(
    '/members',
    {
      config: { allow: 'read:members' },
      schema: {
        operationId: 'listMembers',
        summary: 'List members',
        description: 'Newest `created_at` first; with equal times the higher id first.',
        querystring: Type.Object({
          ...PagingFields,
          status: StatusFilter({ meaning: 'Members with this status' }),
          plan_id: idField('a plan id', { meaning: 'Members with this plan', examples: ['plan_1'] }),
          email: textField('an e-mail address', 320, {
            meaning: 'Members with exactly this address, upper or lower case',
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
}
