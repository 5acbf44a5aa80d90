import { removeSecondFactors } from '#team'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { PersonBody, PersonParams, presentPerson } from './present-person.ts'

/** DELETE /team/people/{person}/two-factor */
export function removeSecondFactorsRoute(admin: Surface, { db }: AdminDeps): void {
  admin.delete(
    '/team/people/:person/two-factor',
    {
      config: { allow: 'install' },
      schema: {
        operationId: 'removeSecondFactors',
        summary: "Remove a person's second factor",
        description: 'For somebody who has lost the app and the backup codes. Make sure that it is them who ask.',
        params: PersonParams,
        response: { 200: PersonBody }
      }
    },
    async ({ params }) => presentPerson(await db.inInstallation((tx) => removeSecondFactors(tx, params.person)))
  )
}
