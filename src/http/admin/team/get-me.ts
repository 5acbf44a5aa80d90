import { Type } from 'typebox'
import { PERMISSIONS, PERMISSIONS_OF, ROLES } from '#team'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import { oneOf } from '../fields.ts'

const MeBody = Type.Object(
  {
    person: Type.Union(
      [
        Type.Object({
          id: Type.String({ description: 'The id of the person' }),
          name: Type.String({ description: 'How others see the person' }),
          email: Type.String({ description: 'By which the person signs in' }),
          two_factor: Type.Boolean({ description: 'Whether a code is asked for beside the password' })
        }),
        Type.Null()
      ],
      { description: 'The person; null for the operator token' }
    ),
    role: oneOf(['operator', ...ROLES] as const, { description: 'What the caller may do, in a word' }),
    permissions: Type.Array(oneOf(PERMISSIONS), { description: 'What the caller may do' })
  },
  {
    title: 'Me',
    description: 'Who calls.',
    examples: [{ person: null, role: 'operator', permissions: PERMISSIONS }]
  }
)

/** GET /me */
export function getMeRoute(admin: Surface): void {
  admin.get(
    '/me',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getMe',
        summary: 'Get who calls',
        description: 'The person of the session, or the operator token, and what the caller may do.',
        response: { 200: MeBody }
      }
    },
    async (request) => {
      const { role, person } = callerOf(request)
      return {
        person: person && {
          ...{ id: person.personId, name: person.name, email: person.email },
          two_factor: person.twoFactorEnabled
        },
        role,
        permissions: role === 'operator' ? [...PERMISSIONS] : [...PERMISSIONS_OF[role]]
      }
    }
  )
}
