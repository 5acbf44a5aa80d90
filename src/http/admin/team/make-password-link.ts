import { inviteToNewPassword } from '#team'
import type { Surface } from '../../shared/surface.ts'
import { nameOfCaller } from '../caller.ts'
import type { AdminDeps } from '../deps.ts'
import { LinkBody, presentLink } from './link.ts'
import { PersonParams } from './present-person.ts'

/** POST /team/people/{person}/password-link */
export function makePasswordLinkRoute(admin: Surface, { db, install }: AdminDeps): void {
  admin.post(
    '/team/people/:person/password-link',
    {
      config: { allow: 'install' },
      schema: {
        operationId: 'makePasswordLink',
        summary: 'Make a link for a new password',
        description:
          'The link works once, within three days. The password works until then; the new one ends all sessions, and the lock after wrong passwords.',
        params: PersonParams,
        response: { 201: LinkBody }
      }
    },
    async (request, reply) => {
      const by = nameOfCaller(request)
      const link = await db.inInstallation((tx) => inviteToNewPassword(tx, request.params.person, by))
      return reply.code(201).send(presentLink(install.publicUrl(), link))
    }
  )
}
