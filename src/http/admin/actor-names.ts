import { internalId } from '#kit/ids'
import type { Database } from '#kit/postgres'
import { namesOfKeys, type Store } from '#stores'
import { namesOfPeople } from '#team'
import { isStaffId, nameOfStaff } from './staff.ts'

/** Who did something, as a history keeps it. */
type Acted = { actor: string | null; actorId: string | null }

/** What the field says wherever entries have it. */
export const ACTOR_NAME =
  'The name of the person or of the API key that did it, also of those that are gone; null for others, and for somebody of whom no name is known any more'

/** Finds who did these things, and returns what names each of them. */
export async function actorNames(
  db: Database,
  { storeId, domain }: Store,
  acted: Acted[]
): Promise<(one: Acted) => string | null> {
  const idsOf = (kind: string) => [
    ...new Set(acted.flatMap(({ actor, actorId }) => (actor === kind && actorId !== null ? [actorId] : [])))
  ]
  const people = idsOf('operator').filter((id) => !isStaffId(id))
  const keys = idsOf('api').flatMap((id) => internalId('key', id) ?? [])
  const [names, keyNames] = await Promise.all([
    people.length === 0 ? new Map<string, string>() : db.inInstallation((tx) => namesOfPeople(tx, people)),
    keys.length === 0 ? new Map<number, string>() : db.inStore(storeId, (ctx) => namesOfKeys(ctx, keys))
  ])
  return ({ actor, actorId }) => {
    if (actorId === null) return null
    if (actor === 'api') return keyNames.get(internalId('key', actorId) ?? 0) ?? null
    if (actor !== 'operator') return null
    return isStaffId(actorId) ? nameOfStaff(actorId, domain) : (names.get(actorId) ?? null)
  }
}
