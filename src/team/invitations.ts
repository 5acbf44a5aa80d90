import { randomBytes, randomUUID } from 'node:crypto'
import { realNow } from '#kit/clock'
import { bool, type Database, instant, nullable, oneOf, type RowOf, row, sql, type Tx, text } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { sha256 } from '#kit/secrets'
import { hashPassword } from './passwords.ts'
import { findPerson } from './people.ts'
import { plainEmail } from './person.ts'
import { ROLES, type Role } from './roles.ts'

const VALID_HOURS = 72
const FIRST_VALID_HOURS = 24
const TOKEN_BYTES = 32

/** A one-time link, as it is shown to whoever has it. */
export const Invitation = row({
  isFirst: bool,
  email: nullable(text),
  role: oneOf(...ROLES),
  personId: nullable(text),
  expiresAt: instant
})
export type Invitation = RowOf<typeof Invitation>

/** What a new account is made of. */
export type NewAccount = { name: string; email: string; password: string }

/** The link with a token. The token is behind `#`, so that neither logs nor other sites get it. */
export const invitationUrl = (publicUrl: string, token: string): string => `${publicUrl}/admin/welcome#${token}`

/**
 * Makes a link for somebody who has no account. Whoever opens it chooses name and password. `by` is who invites. The token is only in the
 * result: its SHA-256 is stored, which is safe because it has 256 random bits.
 */
export async function invitePerson(
  tx: Tx,
  { email, role, by }: { email: string; role: Role; by: string }
): Promise<{ token: string; expiresAt: Temporal.Instant }> {
  const address = plainEmail(email)
  if (await hasAccount(tx, address)) throw new Refusal('conflict', `${address} has an account already`)
  // Only the newest link of an address works.
  await tx.run(sql`delete from team_invitations where email = ${address} and person_id is null`)
  return insertInvitation(tx, { email: address, role, by, personId: null, isFirst: false, hours: VALID_HOURS })
}

/** Makes a link by which somebody who has an account chooses a new password. */
export async function inviteToNewPassword(tx: Tx, personId: string, by: string) {
  const { email, role } = await findPerson(tx, personId)
  await tx.run(sql`delete from team_invitations where person_id = ${personId}`)
  return insertInvitation(tx, { email, role, by, personId, isFirst: false, hours: VALID_HOURS })
}

/** A link for the first owner, which is good until somebody has an account; null when somebody has. */
export function inviteFirstOwner(db: Database): Promise<string | null> {
  return db.inInstallation(async (tx) => {
    if (await hasPeople(tx)) return null
    const first = { email: null, role: 'owner', by: null, personId: null, isFirst: true } as const
    return (await insertInvitation(tx, { ...first, hours: FIRST_VALID_HOURS })).token
  })
}

/** The link with this token, while it is good. */
export async function findInvitation(tx: Tx, token: string): Promise<Invitation> {
  const found = await tx.maybeOne(
    Invitation,
    sql`
    select is_first, email, role, person_id, expires_at from team_invitations
     where token_hash = ${sha256(token)} and expires_at > ${realNow()} for update`
  )
  if (!found || (found.isFirst && (await hasPeople(tx)))) {
    throw new Refusal('not_found', 'This link has been used or withdrawn, or is too old: ask an owner for another one')
  }
  return found
}

/** Makes the account that a link is for, or gives its account the password, and uses the link up. Its address. */
export async function acceptInvitation(db: Database, token: string, account: NewAccount): Promise<string> {
  // Before the transaction: it takes longer than all of that.
  const password = await hashPassword(account.password)
  return db.inInstallation(async (tx) => {
    const { isFirst, email, role, personId } = await findInvitation(tx, token)
    // One at a time: of two people who open the link of the first owner at once, one becomes it.
    if (isFirst) await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('team_people', 0))`)
    if (isFirst && (await hasPeople(tx))) throw new Refusal('not_found', 'Somebody else has become the first owner')
    const now = realNow()
    const address = email ?? plainEmail(account.email)
    const id = personId ?? randomUUID()
    if (personId === null) {
      if (await hasAccount(tx, address)) throw invalidField('email', `${address} has an account already`)
      await tx.run(sql`
        insert into team_people (id, name, email, email_verified, role, created_at, updated_at)
        values (${id}, ${account.name}, ${address}, true, ${role}, ${now}, ${now})`)
    }
    await tx.run(sql`
      insert into team_accounts (id, person_id, provider_id, account_id, password, created_at, updated_at)
      values (${randomUUID()}, ${id}, 'credential', ${id}, ${password}, ${now}, ${now})
      on conflict (provider_id, account_id) do update set password = excluded.password, updated_at = excluded.updated_at`)
    // Whoever had the old password is out, with what they may have added to come back, and wrong tries at it count no more.
    await tx.run(sql`delete from team_sessions where person_id = ${id}`)
    await tx.run(sql`delete from team_passkeys where person_id = ${id}`)
    await tx.run(sql`update team_people set wrong_passwords = 0, locked_until = null where id = ${id}`)
    await tx.run(sql`delete from team_invitations where token_hash = ${sha256(token)} or (${isFirst} and is_first)`)
    return address
  })
}

type NewInvitation = {
  email: string | null
  role: Role
  by: string | null
  personId: string | null
  isFirst: boolean
  hours: number
}

async function insertInvitation(tx: Tx, given: NewInvitation): Promise<{ token: string; expiresAt: Temporal.Instant }> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const now = realNow()
  const expiresAt = now.add({ hours: given.hours })
  await tx.run(sql`delete from team_invitations where expires_at < ${now}`)
  await tx.run(sql`
    insert into team_invitations (token_hash, is_first, email, role, person_id, invited_by, created_at, expires_at)
    values (${sha256(token)}, ${given.isFirst}, ${given.email}, ${given.role}, ${given.personId}, ${given.by}, ${now}, ${expiresAt})`)
  return { token, expiresAt }
}

const hasPeople = async (tx: Tx): Promise<boolean> =>
  (await tx.one(row({ found: bool }), sql`select exists (select from team_people) as found`)).found

const hasAccount = async (tx: Tx, email: string): Promise<boolean> =>
  (await tx.one(row({ found: bool }), sql`select exists (select from team_people where email = ${email}) as found`))
    .found
