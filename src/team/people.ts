import { realNow } from '#kit/clock'
import { instant, nullable, row, sql, type Tx, text } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { plainEmail, TeamPerson } from './person.ts'
import type { Role } from './roles.ts'

const MAX_WRONG_PASSWORDS = 10
const LOCKED_MINUTES = 15

/** Everybody who has an account, oldest first. */
export function listPeople(tx: Tx): Promise<TeamPerson[]> {
  return tx.many(
    TeamPerson,
    sql`select id, name, email, role, two_factor_enabled, locked_until, created_at from team_people order by created_at, id`
  )
}

/** Somebody by their id. */
export async function findPerson(tx: Tx, id: string): Promise<TeamPerson> {
  const found = await tx.maybeOne(
    TeamPerson,
    sql`select id, name, email, role, two_factor_enabled, locked_until, created_at from team_people where id = ${id}`
  )
  if (!found) throw new Refusal('not_found', `There is no person ${id}`)
  return found
}

/**
 * The names of these people, by their ids: as they are called now, of those who have left as the log of changes calls them. Whoever is in neither
 * is not in the result.
 */
export async function namesOfPeople(tx: Tx, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const found = await tx.many(
    row({ id: text, name: nullable(text) }),
    sql`
    select i.id, coalesce((select coalesce(nullif(p.name, ''), p.email) from team_people p where p.id = i.id),
                          (select c.person_name from team_changes c where c.person_id = i.id and c.person_name <> ''
                            order by c.id desc limit 1)) as name
      from unnest(${ids}::text[]) as i(id)`
  )
  return new Map(found.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])))
}

/** Who has an account with this address; null for nobody. */
export function findPersonByEmail(tx: Tx, email: string): Promise<TeamPerson | null> {
  return tx.maybeOne(
    TeamPerson,
    sql`
    select id, name, email, role, two_factor_enabled, locked_until, created_at from team_people where email = ${plainEmail(email)}`
  )
}

/** Who has entered a password and is asked for a code, by what the library calls this sign-in; null for nobody. */
export function findHalfSignedIn(tx: Tx, identifier: string): Promise<TeamPerson | null> {
  return tx.maybeOne(
    TeamPerson,
    sql`
    select p.id, p.name, p.email, p.role, p.two_factor_enabled, p.locked_until, p.created_at
      from team_verifications v join team_people p on p.id = v.value
     where v.identifier = ${identifier} and v.expires_at > ${realNow()}`
  )
}

/** Gives somebody another role, which their sessions have from their next request on. Refused for the last owner. */
export async function changeRole(tx: Tx, id: string, role: Role): Promise<TeamPerson> {
  await keepAnOwner(tx, id, role)
  await tx.run(sql`update team_people set role = ${role}, updated_at = ${realNow()} where id = ${id}`)
  return findPerson(tx, id)
}

/** Removes an account, with its sessions, passkeys and second factor; returns it as it was. Refused for the last owner. */
export async function removePerson(tx: Tx, id: string): Promise<TeamPerson> {
  const person = await keepAnOwner(tx, id, null)
  await tx.run(sql`delete from team_people where id = ${id}`)
  return person
}

/** Ends every session of somebody. */
export async function endSessions(tx: Tx, id: string): Promise<TeamPerson> {
  await tx.run(sql`delete from team_sessions where person_id = ${id}`)
  return findPerson(tx, id)
}

/** Removes the authenticator app and the passkeys of somebody who has lost them; whoever does this has made sure who asks. */
export async function removeSecondFactors(tx: Tx, id: string): Promise<TeamPerson> {
  await findPerson(tx, id)
  await tx.run(sql`delete from team_two_factors where person_id = ${id}`)
  await tx.run(sql`delete from team_passkeys where person_id = ${id}`)
  await tx.run(sql`update team_people set two_factor_enabled = false, updated_at = ${realNow()} where id = ${id}`)
  return findPerson(tx, id)
}

async function keepAnOwner(tx: Tx, id: string, role: Role | null): Promise<TeamPerson> {
  // All of them, so that two owners who leave at once wait for each other.
  const owners = await tx.many(
    row({ id: text }),
    sql`select id from team_people where role = 'owner' order by id for update`
  )
  const person = await findPerson(tx, id)
  if (person.role !== 'owner' || role === 'owner' || owners.length > 1) return person
  throw new Refusal('conflict', `${person.email} is the only owner: make somebody else an owner first`)
}

/**
 * Counts a try at a password before it is compared, so that tries at once cannot be more than the limit. Until when no password of this
 * address is taken; null when this one may be compared. Nobody's address has no limit of its own.
 */
export async function beginPasswordTry(tx: Tx, email: string): Promise<Temporal.Instant | null> {
  const now = realNow()
  const address = plainEmail(email)
  const Locked = row({ lockedUntil: nullable(instant) })
  const found = await tx.maybeOne(Locked, sql`select locked_until from team_people where email = ${address} for update`)
  if (!found) return null
  const { lockedUntil } = found
  if (lockedUntil && Temporal.Instant.compare(lockedUntil, now) > 0) return lockedUntil
  const until = now.add({ minutes: LOCKED_MINUTES })
  await tx.run(sql`
    update team_people
       set wrong_passwords = case when locked_until is null then wrong_passwords else 0 end + 1,
           locked_until = case when locked_until is null and wrong_passwords + 1 >= ${MAX_WRONG_PASSWORDS} then ${until}::timestamptz end
     where email = ${address}`)
  return null
}

/** After a right password: its try and those before it count no more. */
export async function endPasswordTries(tx: Tx, email: string): Promise<void> {
  await tx.run(sql`
    update team_people set wrong_passwords = 0, locked_until = null where email = ${plainEmail(email)}`)
}
