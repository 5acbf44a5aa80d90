import { record } from '#kit/outbox'
import { type Ctx, int, nullable, oneOf, row, sql, text } from '#kit/postgres'
import { storeContext } from '#stores'
import { customerChanged } from './events/customer-changed.ts'
import { memberUpdated } from './events/member-updated.ts'
import { listMemberSnapshots } from './queries.ts'

const Erasable = row({
  id: int,
  status: nullable(oneOf('active', 'paused', 'cancelled')),
  email: nullable(text),
  firstName: nullable(text),
  lastName: nullable(text),
  birthDate: nullable(text)
})

/**
 * Erases who customers are (our numbers): their rows stay, with nothing that names them; the platform's number becomes our own behind a zero,
 * with which none of the platform's begins. Nothing is pushed to the platform for them any
 * more. Receivers of webhooks are notified that the fields are empty. Returns how many rows had something to erase.
 */
export async function eraseCustomers(ctx: Ctx, ids: number[]): Promise<number> {
  const rows = await ctx.tx.many(
    Erasable,
    sql`
    select id, status, email, first_name, last_name, birth_date::text as birth_date from members
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[])
       and (erased_at is null or num_nonnulls(email, first_name, last_name, country_code, province_code, birth_date,
                                              email_consent, sms_consent, account_state) > 0
            or platform_customer_id <> '0' || id)
     order by id for no key update`
  )
  if (rows.length === 0) return 0
  await ctx.tx.run(sql`
    update members
       set platform_customer_id = '0' || id, email = null, first_name = null, last_name = null, country_code = null,
           province_code = null, birth_date = null, email_consent = null, email_consent_at = null, sms_consent = null,
           sms_consent_at = null, account_state = null, account_state_at = null, account_enabled_at = null,
           profile_pending = '{}', platform_updated_at = null,
           platform_deleted_at = coalesce(platform_deleted_at, ${ctx.now}::timestamptz),
           erased_at = coalesce(erased_at, ${ctx.now}::timestamptz), updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = any(${rows.map(({ id }) => id)}::bigint[])`)
  await record(ctx, ...rows.map(customerChanged))
  const members = rows.filter(({ status }) => status !== null)
  if (members.length === 0) return rows.length
  const [store, snapshots] = [
    await storeContext(ctx),
    await listMemberSnapshots(
      ctx,
      members.map(({ id }) => id)
    )
  ]
  const byId = new Map(members.map((member) => [member.id, member]))
  await record(ctx, ...snapshots.map((member) => memberUpdated(member, emptied(byId.get(member.id)!), store)))
  return rows.length
}

/** Which fields are empty now; not what was in them. */
function emptied({
  email,
  firstName,
  lastName,
  birthDate
}: {
  email: unknown
  firstName: unknown
  lastName: unknown
  birthDate: unknown
}) {
  const nothing = { from: null, to: null }
  return {
    ...(email === null ? {} : { email: nothing }),
    ...(firstName === null ? {} : { first_name: nothing }),
    ...(lastName === null ? {} : { last_name: nothing }),
    ...(birthDate === null ? {} : { birth_date: nothing })
  }
}
