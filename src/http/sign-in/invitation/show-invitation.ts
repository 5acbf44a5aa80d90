import { Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { findInvitation, ROLES, type Role } from '#team'
import type { Surface } from '../../shared/surface.ts'
import type { SignInDeps } from '../deps.ts'
import { TokenField } from './token.ts'

/** POST /invitation/show: what a link is for. Its token is in the body, since proxies log addresses. */
export function showInvitationRoute(surface: Surface, { db, asGuess }: SignInDeps): void {
  surface.post(
    '/invitation/show',
    {
      config: { allow: 'person' },
      schema: {
        body: Type.Object({ token: TokenField }),
        response: {
          200: Type.Object({
            role: Type.Unsafe<Role>(Type.Union(ROLES.map((role) => Type.Literal(role)))),
            email: Type.Union([Type.String(), Type.Null()]),
            for_new_password: Type.Boolean(),
            expires_at: Type.String({ format: 'date-time' })
          })
        }
      }
    },
    (request, reply) =>
      asGuess(request, reply, async () => {
        const found = await db.inInstallation((tx) => findInvitation(tx, request.body.token))
        const { role, email, personId, expiresAt } = found
        return { role, email, for_new_password: personId !== null, expires_at: isoOf(expiresAt) }
      })
  )
}
