import { endSessions } from '#team'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { PersonBody, PersonParams, presentPerson } from './present-person.ts'

/** DELETE /team/people/{person}/sessions */
export function endSessionsRoute(admin: Surface, { db }: AdminDeps): void {
  admin.delete(
    '/team/people/:person/sessions',
    {
      config: { allow: 'install' },
      schema: {
        operationId: 'endSessions',
        summary: "End a person's sessions",
        description: 'Signs the person out everywhere.',
        params: PersonParams,
        response: { 200: PersonBody }
      }
    },
    async ({ params }) => presentPerson(await db.inInstallation((tx) => endSessions(tx, params.person)))
  )
}
