import { listPeople } from '#team'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { List } from '../fields.ts'
import { PersonBody, presentPerson } from './present-person.ts'

/** GET /team/people */
export function listPeopleRoute(admin: Surface, { db }: AdminDeps): void {
  admin.get(
    '/team/people',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listPeople',
        summary: 'List people',
        description: 'Everybody who has an account, oldest first.',
        response: { 200: List(PersonBody, 'The people') }
      }
    },
    async () => ({ data: (await db.inInstallation(listPeople)).map(presentPerson) })
  )
}
