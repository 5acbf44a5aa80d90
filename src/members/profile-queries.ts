import { bool, type Ctx, row, sql } from '#kit/postgres'
import { type Profile, ProfileRow } from './profile.ts'

/** Locks the rows in order of id. A customer who is not a member has status null. */
export function lockProfiles(ctx: Ctx, ids: number[]) {
  return ctx.tx.many(
    ProfileRow,
    sql`
    select id, platform_customer_id, email, first_name, last_name, birth_date, profile_pending, platform_updated_at,
           status, erased_at is not null as is_erased
      from members
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[])
     order by id for no key update`
  )
}

/** Whether another customer of the store, member or not, has this address, upper or lower case. */
export async function isEmailTaken(ctx: Ctx, email: string, memberId: number): Promise<boolean> {
  const { taken } = await ctx.tx.one(
    row({ taken: bool }),
    sql`
    select exists (select from members
                    where store_id = ${ctx.storeId} and lower(email) = lower(${email}) and id <> ${memberId}) as taken`
  )
  return taken
}

/** Writes whole profiles. `platformAt`: the platform's time of these values, if known; older updates are then ignored. */
export async function writeProfiles(
  ctx: Ctx,
  profiles: (Profile & {
    id: number
    pending: string[]
    isChanged: boolean
    platformAt: Temporal.Instant | null
  })[]
): Promise<void> {
  await ctx.tx.run(sql`
    update members m
       set email = p.email, first_name = p.first_name, last_name = p.last_name, birth_date = p.birth_date,
           profile_pending = array(select jsonb_array_elements_text(p.pending::jsonb)),
           platform_updated_at = coalesce(greatest(m.platform_updated_at, p.platform_at), m.platform_updated_at),
           updated_at = case when p.is_changed then ${ctx.now}::timestamptz else m.updated_at end
      from unnest(${profiles.map((p) => p.id)}::bigint[], ${profiles.map((p) => p.email)}::text[],
                  ${profiles.map((p) => p.firstName)}::text[], ${profiles.map((p) => p.lastName)}::text[],
                  ${profiles.map((p) => p.birthDate)}::date[], ${profiles.map((p) => JSON.stringify(p.pending))}::text[],
                  ${profiles.map((p) => p.isChanged)}::boolean[], ${profiles.map((p) => p.platformAt)}::timestamptz[])
             as p(id, email, first_name, last_name, birth_date, pending, is_changed, platform_at)
     where m.store_id = ${ctx.storeId} and m.id = p.id`)
}
