import { realNow } from '#kit/clock'
import { bool, instant, nullable, oneOf, type RowOf, row, sql, type Tx, text } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { ROLES } from './roles.ts'

/** A link that was made for somebody and has not been used. Its id is the beginning of the hash of its token, which proves nothing. */
export const OpenInvitation = row({
  id: text,
  email: text,
  role: oneOf(...ROLES),
  forNewPassword: bool,
  invitedBy: nullable(text),
  createdAt: instant,
  expiresAt: instant
})
export type OpenInvitation = RowOf<typeof OpenInvitation>

/** Every link that still works, oldest first; the first owner's, which the service prints, is none. */
export function listInvitations(tx: Tx): Promise<OpenInvitation[]> {
  return tx.many(
    OpenInvitation,
    sql`
    select encode(substr(token_hash, 1, 8), 'hex') as id, email, role, person_id is not null as for_new_password, invited_by, created_at, expires_at
      from team_invitations where not is_first and expires_at > ${realNow()} order by created_at, token_hash`
  )
}

/** Has a link work no more; returns it as it was. */
export async function withdrawInvitation(tx: Tx, id: string): Promise<OpenInvitation> {
  const found = await tx.maybeOne(
    OpenInvitation,
    sql`
    delete from team_invitations
     where encode(substr(token_hash, 1, 8), 'hex') = ${id} and not is_first and expires_at > ${realNow()}
    returning encode(substr(token_hash, 1, 8), 'hex') as id, email, role, person_id is not null as for_new_password, invited_by, created_at, expires_at`
  )
  if (!found) throw new Refusal('not_found', `There is no link ${id} that still works`)
  return found
}
