import { Type } from 'typebox'
import { changeRole } from '#team'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { PersonBody, PersonParams, presentPerson, RoleField } from './present-person.ts'

/** PATCH /team/people/{person} */
export function changePersonRoute(admin: Surface, { db }: AdminDeps): void {
  admin.patch(
    '/team/people/:person',
    {
      config: { allow: 'install' },
      schema: {
        operationId: 'changePerson',
        summary: "Change a person's role",
        description: 'Sessions have the new role from their next request on. The last owner stays one.',
        params: PersonParams,
        body: Type.Object({ role: RoleField }),
        response: { 200: PersonBody }
      }
    },
    async ({ params, body }) => presentPerson(await db.inInstallation((tx) => changeRole(tx, params.person, body.role)))
  )
}
