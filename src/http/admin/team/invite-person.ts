import { Type } from 'typebox'
import { invitePerson } from '#team'
import type { Surface } from '../../shared/surface.ts'
import { nameOfCaller } from '../caller.ts'
import type { AdminDeps } from '../deps.ts'
import { LinkBody, presentLink } from './link.ts'
import { EmailField, RoleField } from './present-person.ts'

/** POST /team/invitations */
export function invitePersonRoute(admin: Surface, { db, install }: AdminDeps): void {
  admin.post(
    '/team/invitations',
    {
      config: { allow: 'install' },
      schema: {
        operationId: 'invitePerson',
        summary: 'Invite a person',
        description:
          'Makes a link that works once, within three days. Whoever opens it chooses a name and a password. A link that was made for the address before works no more.',
        body: Type.Object({ email: EmailField, role: RoleField }),
        response: { 201: LinkBody }
      }
    },
    async (request, reply) => {
      const by = nameOfCaller(request)
      const link = await db.inInstallation((tx) => invitePerson(tx, { ...request.body, by }))
      return reply.code(201).send(presentLink(install.publicUrl(), link))
    }
  )
}
