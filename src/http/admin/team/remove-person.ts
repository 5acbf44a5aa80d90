import { removePerson } from '#team'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { PersonBody, PersonParams, presentPerson } from './present-person.ts'

/** DELETE /team/people/{person} */
export function removePersonRoute(admin: Surface, { db }: AdminDeps): void {
  admin.delete(
    '/team/people/:person',
    {
      config: { allow: 'install' },
      schema: {
        operationId: 'removePerson',
        summary: 'Remove a person',
        description:
          'Removes the account and ends its sessions; the response shows it as it was. What the person changed stays in the list of changes. The last owner stays.',
        params: PersonParams,
        response: { 200: PersonBody }
      }
    },
    async ({ params }) => presentPerson(await db.inInstallation((tx) => removePerson(tx, params.person)))
  )
}
