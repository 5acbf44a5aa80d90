import { record } from '#kit/outbox'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { deriveMembershipStatuses } from './membership-status/derive-membership-status.ts'

/**
 * Gives the subscriptions of one member to another, with their history and the gifts to them, since the platform has merged the
 * two customers. A gift from one to the other is none any more. Both membership statuses follow: a member who is left with
 * nothing is no longer active.
 */
export async function reassignSubscriptions(ctx: Ctx, fromMember: number, toMember: number): Promise<void> {
  const moved = await ctx.tx.many(
    row({ id: int }),
    sql`
    with handed as (
      select id, case when member_id = ${fromMember} then ${toMember}::bigint else member_id end as giver,
             case when receiver_member_id = ${fromMember} then ${toMember}::bigint else receiver_member_id end as receiver
        from subscriptions
       where store_id = ${ctx.storeId} and (member_id = ${fromMember} or receiver_member_id = ${fromMember})
       order by id for update)
    update subscriptions s
       set member_id = h.giver, receiver_member_id = nullif(h.receiver, h.giver),
           gifted_at = case when h.receiver <> h.giver then s.gifted_at end, updated_at = ${ctx.now}
      from handed h where s.store_id = ${ctx.storeId} and s.id = h.id
    returning s.id`
  )
  await ctx.tx.run(sql`
    update contract_activities set member_id = ${toMember}
     where store_id = ${ctx.storeId} and member_id = ${fromMember}`)
  if (moved.length > 0) await record(ctx, ...(await deriveMembershipStatuses(ctx, [fromMember, toMember])))
}
