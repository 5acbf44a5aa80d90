import { withdrawInvitation } from '#team'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { InvitationBody, InvitationParams, presentInvitation } from './present-invitation.ts'

/** DELETE /team/invitations/{invitation} */
export function withdrawInvitationRoute(admin: Surface, { db }: AdminDeps): void {
  admin.delete(
    '/team/invitations/:invitation',
    {
      config: { allow: 'install' },
      schema: {
        operationId: 'withdrawInvitation',
        summary: 'Withdraw an invitation',
        description: 'The link works no more; the response shows it as it was.',
        params: InvitationParams,
        response: { 200: InvitationBody }
      }
    },
    async ({ params }) => presentInvitation(await db.inInstallation((tx) => withdrawInvitation(tx, params.invitation)))
  )
}
