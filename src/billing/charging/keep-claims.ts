import { type Ctx, int, row, sql } from '#kit/postgres'
import { type ClaimedAttempt, claimTimes, mayCharge } from './claims.ts'

/** After so many renewals whose answer came too late the charge is asked for again later. */
const MAX_RENEWALS = 10

/**
 * Extends the claims of attempts whose calls are under way, those that no other process has, and returns these. It does not ask
 * whether their charges are still wanted.
 */
export async function extendClaims(ctx: Ctx, attempts: ClaimedAttempt[], maxCallMs: number): Promise<ClaimedAttempt[]> {
  const { claimMs } = claimTimes(maxCallMs)
  // What is locked is being ended, renewed or claimed: waiting for several could be a deadlock.
  const extended = await ctx.tx.many(
    row({ id: int }),
    sql`
    with held as (
      select a.id from billing_attempts a
        join unnest(${attempts.map((a) => a.id)}::bigint[], ${attempts.map((a) => a.leaseToken)}::int[]) as h(id, token)
          on a.id = h.id and a.lease_token = h.token
       where a.store_id = ${ctx.storeId} and a.status = 'pending' and a.leased_until is not null
         for update of a skip locked)
    update billing_attempts a
       set leased_until = greatest(a.leased_until, statement_timestamp() + ${claimMs} * interval '1 millisecond')
      from held where a.store_id = ${ctx.storeId} and a.id = held.id
    returning a.id`
  )
  const ids = new Set(extended.map(({ id }) => id))
  return attempts.filter(({ id }) => ids.has(id))
}

/** Has a claim last for another call from now on. False where it is ours no more, or may not or need not be charged any more. */
export async function renewClaim(
  ctx: Ctx,
  { id, leaseToken }: Pick<ClaimedAttempt, 'id' | 'leaseToken'>,
  maxCallMs: number
): Promise<boolean> {
  if (!mayCharge(ctx)) return false
  const { claimMs } = claimTimes(maxCallMs)
  const renewed = await ctx.tx.run(sql`
    update billing_attempts a set leased_until = statement_timestamp() + ${claimMs} * interval '1 millisecond'
      from subscriptions s
     where a.store_id = ${ctx.storeId} and a.id = ${id} and a.lease_token = ${leaseToken} and a.status = 'pending'
       and s.store_id = ${ctx.storeId} and s.id = a.subscription_id and s.status = 'active' and a.cycle_index >= s.next_cycle
       and (s.past_due_cycle is null or s.billing_due_at <= ${ctx.now})`)
  return renewed > 0
}

/**
 * Until when the call of a charge has to end that is sent now, so that no other process has its attempt before; a time of
 * `performance.now()`. `from`: when it was claimed, or before. A claim that has not enough time left is renewed by `renew`: one
 * whose answer comes so late that it has not either is renewed again. Null where the charge may not be sent. `clock`: the time that
 * passes, in milliseconds.
 */
export async function endOfCall(
  from: number,
  maxCallMs: number,
  renew: () => Promise<boolean>,
  clock: () => number = () => performance.now()
): Promise<number | null> {
  const { endMs, sendMs } = claimTimes(maxCallMs)
  const isInTime = () => clock() - from <= sendMs
  for (let renewals = 0; !isInTime() && renewals < MAX_RENEWALS; renewals++) {
    from = clock()
    // Where the database does not answer nothing is sent, and what was found before is not lost with its error.
    if (!(await renew().catch(() => false))) return null
  }
  return isInTime() ? from + endMs : null
}
