import { Type } from 'typebox'
import { MemberBody } from '#resources'
import { listMembers, memberFilters, queryFields, readFilters } from '#views'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope, NOTHING, PagingFields, pageEnvelope, pagingOf } from '../envelope.ts'
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
        querystring: Type.Object({ ...PagingFields, ...queryFields(memberFilters) }),
        response: { 200: Envelope(Type.Array(MemberBody)) }
      }
    },
    async (request) => {
      const caller = callerOf(request)
      const paging = pagingOf(request.query)
      const filters = readFilters(memberFilters, request.query, caller)
      const { rows, total } = filters
        ? await listMembers(db.direct, caller.storeId, { ...filters, ...paging })
        : NOTHING
      return pageEnvelope(
        rows.map((member) => presentMember(member, caller.profile)),
        total,
        paging
      )
    }
  )
}
