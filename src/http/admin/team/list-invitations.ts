import { listInvitations } from '#team'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { List } from '../fields.ts'
import { InvitationBody, presentInvitation } from './present-invitation.ts'

/** GET /team/invitations */
export function listInvitationsRoute(admin: Surface, { db }: AdminDeps): void {
  admin.get(
    '/team/invitations',
    {
      config: { allow: 'install' },
      schema: {
        operationId: 'listInvitations',
        summary: 'List open invitations',
        description:
          'The links for accounts and new passwords that were not used yet and still work, oldest first. The links themselves are not stored.',
        response: { 200: List(InvitationBody, 'The invitations') }
      }
    },
    async () => ({ data: (await db.inInstallation(listInvitations)).map(presentInvitation) })
  )
}
