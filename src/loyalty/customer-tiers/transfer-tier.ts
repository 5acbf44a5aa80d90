import { record } from '#kit/outbox'
import { type Ctx, instant, int, nullable, row, sql, text } from '#kit/postgres'
import { tierChanged } from '#members'
import { endCustomerTiers, writeCustomerTiers } from './customer-tier-queries.ts'
import { placeCustomers } from './place-customers.ts'

/**
 * Gives what a customer has spent to another, after the platform merged the two, and the higher of their tiers. Both rows are locked, and points
 * are transferred already. What was given for entering a tier is given to neither again.
 */
export async function transferTier(ctx: Ctx, from: number, to: number): Promise<void> {
  const { storeId } = ctx
  await ctx.tx.run(sql`
    update loyalty_spending set member_id = ${to} where store_id = ${storeId} and member_id = ${from}`)
  await ctx.tx.run(sql`
    insert into loyalty_tier_rewards (store_id, member_id, tier_id, given_at)
    select ${storeId}, ${to}::bigint, r.tier_id, r.given_at
      from (select tier_id, given_at from loyalty_tier_rewards
             where store_id = ${storeId} and member_id = ${from} offset 0) as r
    on conflict do nothing`)
  await ctx.tx.run(sql`delete from loyalty_tier_rewards where store_id = ${storeId} and member_id = ${from}`)
  await keepHigherTier(ctx, from, to)
  await endCustomerTiers(ctx, [from])
  await placeCustomers(ctx, [to])
}

async function keepHigherTier(ctx: Ctx, from: number, to: number): Promise<void> {
  const rows = await ctx.tx.many(
    row({
      memberId: int,
      email: nullable(text),
      tierId: nullable(int),
      name: nullable(text),
      place: nullable(int),
      reviewAt: nullable(instant)
    }),
    sql`
    select m.id as member_id, m.email, l.id as tier_id, l.name, l.place, t.review_at
      from members m
      left join loyalty_customer_tiers t on t.store_id = ${ctx.storeId} and t.member_id = m.id
      left join loyalty_tiers l on l.store_id = ${ctx.storeId} and l.id = t.tier_id
     where m.store_id = ${ctx.storeId} and m.id = any(${[from, to]}::bigint[])`
  )
  const [given, kept] = [from, to].map((id) => rows.find(({ memberId }) => memberId === id)!)
  if (given!.place === null || given!.place <= (kept!.place ?? -1)) return
  const { tierId, reviewAt, name } = given!
  await writeCustomerTiers(ctx, [{ memberId: to, tierId, reviewAt }])
  await record(ctx, tierChanged({ id: to, email: kept!.email }, { previous: kept!.name, new: name }, 'loyalty'))
}
