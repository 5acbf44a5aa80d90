import { bool, type Ctx, type Statement, sql } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { storeContext } from '#stores'
import { needsTimezoneRebase, rebaseTimezone } from './rebase-timezone.ts'
import { Subscription } from './subscription.ts'

/** Holds the rows, in order of id, so that two callers cannot both decide; unknown ids are left out. */
export function lockSubscriptions(ctx: Ctx, ids: number[]): Promise<Subscription[]> {
  return hold(
    ctx,
    sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.id = any(${ids}::bigint[])
     order by s.id for update of s`
  )
}

/** As lockSubscriptions, by the platform's contract numbers. */
export function lockSubscriptionsOfContracts(ctx: Ctx, contractIds: string[]): Promise<Subscription[]> {
  return hold(
    ctx,
    sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.platform_contract_id = any(${contractIds}::text[])
     order by s.id for update of s`
  )
}

/**
 * One that billing must look at, and whether it is to wait for a change of its terms: for a day after what came last, the
 * change or the date. A change that the platform does not take for longer must not keep a cycle from being billed.
 */
type DueSubscription = { subscription: Subscription; hasChange: boolean }
const DueSubscription = Object.assign(
  (raw: Record<string, unknown>): DueSubscription => ({
    subscription: Subscription(raw),
    hasChange: bool(raw.has_change)
  }),
  { columns: [...Subscription.columns, 'has_change'] }
)

/** Holds up to `limit` subscriptions that billing must look at by now, earliest first; what another holds is left out. */
export function lockDueSubscriptions(ctx: Ctx, limit: number): Promise<DueSubscription[]> {
  return withCurrentTimezone(
    ctx,
    ({ subscription }) => subscription,
    () =>
      ctx.tx.many(
        DueSubscription,
        sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name,
           exists (select from subscription_changes c
                    where c.store_id = ${ctx.storeId} and c.subscription_id = s.id
                      and greatest(c.requested_at, s.next_billing_at) > ${ctx.now}::timestamptz - interval '1 day') as has_change
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.billing_due_at <= ${ctx.now}
     order by s.billing_due_at, s.id limit ${limit} for update of s skip locked`
      )
  )
}

/** Holds paused subscriptions whose pause is over by now. */
export function lockEndedPauses(ctx: Ctx, limit: number): Promise<Subscription[]> {
  return hold(
    ctx,
    sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.resumes_at <= ${ctx.now}
     order by s.resumes_at, s.id limit ${limit} for update of s skip locked`
  )
}

/** Holds subscriptions whose charge has waited long enough for a new payment method. */
export function lockPastPaymentMethodDeadline(ctx: Ctx, limit: number): Promise<Subscription[]> {
  return hold(
    ctx,
    sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.payment_method_deadline <= ${ctx.now}
     order by s.payment_method_deadline, s.id limit ${limit} for update of s skip locked`
  )
}

function hold(ctx: Ctx, statement: Statement): Promise<Subscription[]> {
  return withCurrentTimezone(
    ctx,
    (s) => s,
    () => ctx.tx.many(Subscription, statement)
  )
}

/**
 * The rows, held: all of them on the clocks of the zone that the shop lives in now. Those that have not followed it there do so
 * first, and what is asked for is looked for anew, since other dates may leave them out.
 */
async function withCurrentTimezone<T>(ctx: Ctx, of: (row: T) => Subscription, load: () => Promise<T[]>): Promise<T[]> {
  for (;;) {
    const rows = await load()
    if (rows.length === 0) return rows
    const { pastTimezones } = await storeContext(ctx)
    const held = rows.map(of)
    if (held.some(({ timezoneRebases }) => timezoneRebases > pastTimezones.length)) throw timezoneChanged()
    const outdated = held.filter((s) => needsTimezoneRebase(s, pastTimezones))
    if (outdated.length === 0) return rows
    await rebaseTimezone(ctx, outdated)
  }
}

/** What this transaction has read of the store is older than the rows. */
const timezoneChanged = () =>
  new Refusal('unavailable', 'The shop has just moved to another time zone: try again in a moment')
