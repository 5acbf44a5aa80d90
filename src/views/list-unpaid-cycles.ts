import { bool, type Ctx, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'

const UnpaidCycle = row({
  subscriptionId: int,
  cycle: int,
  /** The last try that failed; null where the cycle was due in a pause and never tried. */
  attemptId: nullable(int),
  errorCode: nullable(text),
  errorMessage: nullable(text),
  declineCode: nullable(text),
  /** Another try is under way. */
  isBeingCharged: bool
})

/** A cycle of a subscription that goes on, which was charged and not paid, or was due in a pause, and why the last try failed. */
export type UnpaidCycle = RowOf<typeof UnpaidCycle>

/**
 * The unpaid cycles of these subscriptions, by their ids; those that owe nothing are left out. Of a paused one it is the cycle that is
 * charged when it goes on, as long as its period runs then.
 */
export async function listUnpaidCycles(ctx: Ctx, subscriptionIds: number[]): Promise<Map<number, UnpaidCycle>> {
  const found = await ctx.tx.many(
    UnpaidCycle,
    sql`
    select s.id as subscription_id, coalesce(s.past_due_cycle, s.next_cycle) as cycle, a.id as attempt_id,
           a.error_code, a.error_message, a.decline_code,
           exists (select from billing_attempts p
                    where p.store_id = ${ctx.storeId} and p.subscription_id = s.id
                      and p.cycle_index = coalesce(s.past_due_cycle, s.next_cycle) and p.status = 'pending') as is_being_charged
      from subscriptions s
      left join lateral (
        select * from billing_attempts t
         where t.store_id = ${ctx.storeId} and t.subscription_id = s.id
           and t.cycle_index = coalesce(s.past_due_cycle, s.next_cycle)
           and t.status = 'failed' and t.error_code not in ('voided', 'superseded')
         order by t.attempt_number desc limit 1) a on true
     where s.store_id = ${ctx.storeId} and s.id = any(${subscriptionIds}::bigint[])
       and (s.status = 'paused' and s.past_due_cycle is not null
            or s.status = 'active' and (s.past_due_cycle is not null or a.id is not null))`
  )
  return new Map(found.map((one) => [one.subscriptionId, one]))
}

/** Which of these members have an active subscription that owes a cycle, as `listUnpaidCycles` finds it. */
export async function listMembersWhoOwe(ctx: Ctx, memberIds: number[]): Promise<Set<number>> {
  const found = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select distinct s.member_id from subscriptions s
     where s.store_id = ${ctx.storeId} and s.member_id = any(${memberIds}::bigint[]) and s.status = 'active'
       and (s.past_due_cycle is not null
            or exists (select from billing_attempts a
                        where a.store_id = ${ctx.storeId} and a.subscription_id = s.id and a.cycle_index = s.next_cycle
                          and a.status = 'failed' and a.error_code not in ('voided', 'superseded')))`
  )
  return new Set(found.map(({ memberId }) => memberId))
}
