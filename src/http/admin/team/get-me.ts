import { Type } from 'typebox'
import { publicId } from '#kit/ids'
import { OrNull } from '#resources'
import { PERMISSIONS, ROLES } from '#team'
import type { Surface } from '../../shared/surface.ts'
import { permissionsOf } from '../authenticate.ts'
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
      { description: 'The person; null for the operator token, and for the people of a shop in its admin' }
    ),
    role: oneOf(['operator', 'staff', ...ROLES] as const, { description: 'What the caller may do, in a word' }),
    store: OrNull(Type.String({ description: 'The only store that the caller sees; null for all of them' })),
    permissions: Type.Array(oneOf(PERMISSIONS), { description: 'What the caller may do' })
  },
  {
    title: 'Me',
    description: 'Who calls.',
    examples: [{ person: null, role: 'operator', store: null, permissions: PERMISSIONS }]
  }
)

/** GET /me */
export function getMeRoute(admin: Surface): void {
  admin.get(
    '/me',
    {
      config: { allow: 'view', forStaff: true },
      schema: {
        operationId: 'getMe',
        summary: 'Get who calls',
        description: 'The person of the session, or the operator token, and what the caller may do.',
        response: { 200: MeBody }
      }
    },
    async (request) => {
      const caller = callerOf(request)
      const { role, person, staff } = caller
      return {
        person: person && {
          ...{ id: person.personId, name: person.name, email: person.email },
          two_factor: person.twoFactorEnabled
        },
        role,
        store: staff && publicId('store', staff.storeId),
        permissions: [...permissionsOf(caller)]
      }
    }
  )
}
