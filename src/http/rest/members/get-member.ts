import { internalId } from '#kit/ids'
import { MemberBody } from '#resources'
import { findMember } from '#views'
import { noSuch } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope, envelope } from '../envelope.ts'
import { presentMember } from '../present-member.ts'
import { MemberParams } from './member-params.ts'

/** GET /members/{member_id} (spec 1, Endpoints). */
export function getMemberRoute(rest: Surface, { db }: RestDeps): void {
  rest.get(
    '/members/:member_id',
    {
      config: { allow: 'read:members' },
      schema: {
        operationId: 'getMember',
        summary: 'Read a member',
        description: 'One member by id.',
        params: MemberParams,
        response: { 200: Envelope(MemberBody) }
      }
    },
    async (request) => {
      const { storeId, profile } = callerOf(request)
      const id = internalId('mem', request.params.member_id)
      const member = id === null ? null : await findMember(db.direct, storeId, id)
      if (!member) throw noSuch('mem', request.params.member_id)
      return envelope(presentMember(member, profile))
    }
  )
}
