import { bool, type Ctx, type Statement, sql } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { storeContext } from '#stores'
import { rebaseTimezone } from './rebase-timezone.ts'
import { subscriptionNotFound } from './refusals.ts'
import { Subscription } from './subscription.ts'
import { isFinal } from './transitions/transitions.ts'

/** Locks one row until the transaction ends, so that two callers cannot both decide. Refuses an id that is not known. */
export async function lockSubscription(ctx: Ctx, id: number): Promise<Subscription> {
  const [subscription] = await lockSubscriptions(ctx, [id])
  if (!subscription) throw subscriptionNotFound(id)
  return subscription
}

/** Locks rows in order of id; unknown ids are left out. */
export function lockSubscriptions(ctx: Ctx, ids: number[]): Promise<Subscription[]> {
  return hold(
    ctx,
    sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name
      from subscriptions s join members m on m.store_id = ${ctx.storeId} and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.id = any(${ids}::bigint[])
     order by s.id for update of s`
  )
}

/** As `lockSubscriptions`, by the platform's contract numbers. */
export function lockSubscriptionsOfContracts(ctx: Ctx, contractIds: string[]): Promise<Subscription[]> {
  return hold(
    ctx,
    sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name
      from subscriptions s join members m on m.store_id = ${ctx.storeId} and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.platform_contract_id = any(${contractIds}::text[])
     order by s.id for update of s`
  )
}

/**
 * A subscription that is due, and whether its cycle waits for a change of terms. It waits for at most a day after the request or
 * the date, whichever is later: a change that the platform does not accept for longer must not keep a cycle from being billed.
 */
type DueSubscription = { subscription: Subscription; hasChange: boolean }
const DueSubscription = Object.assign(
  (raw: Record<string, unknown>): DueSubscription => ({
    subscription: Subscription(raw),
    hasChange: bool(raw.has_change)
  }),
  { columns: [...Subscription.columns, 'has_change'] }
)

/** Locks up to `limit` subscriptions that are due for billing by now, earliest first; rows that another has locked are left out. */
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
      from subscriptions s join members m on m.store_id = ${ctx.storeId} and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.billing_due_at <= ${ctx.now}
     order by s.billing_due_at, s.id limit ${limit} for update of s skip locked`
      )
  )
}

/** Locks paused subscriptions whose pause has ended by now. */
export function lockEndedPauses(ctx: Ctx, limit: number): Promise<Subscription[]> {
  return hold(
    ctx,
    sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name
      from subscriptions s join members m on m.store_id = ${ctx.storeId} and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.resumes_at <= ${ctx.now}
     order by s.resumes_at, s.id limit ${limit} for update of s skip locked`
  )
}

/** Locks subscriptions whose charge waits for a new payment method and whose deadline has passed. */
export function lockPastPaymentMethodDeadline(ctx: Ctx, limit: number): Promise<Subscription[]> {
  return hold(
    ctx,
    sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name
      from subscriptions s join members m on m.store_id = ${ctx.storeId} and m.id = s.member_id
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
 * The rows, locked, all of them with dates in the shop's current time zone. Rows that have not followed the shop there are
 * rebased first, and the question is asked again, since other dates may leave rows out.
 */
async function withCurrentTimezone<T>(ctx: Ctx, of: (row: T) => Subscription, load: () => Promise<T[]>): Promise<T[]> {
  for (;;) {
    const rows = await load()
    if (rows.length === 0) return rows
    const { pastTimezones } = await storeContext(ctx)
    const held = rows.map(of)
    if (held.some(({ timezoneRebases }) => timezoneRebases > pastTimezones.length)) throw timezoneChanged()
    // What has ended for good keeps the times at which it was so.
    const outdated = held.filter((s) => s.timezoneRebases < pastTimezones.length && !isFinal(s))
    if (outdated.length === 0) return rows
    await rebaseTimezone(ctx, outdated)
  }
}

/** The rows are newer than what this transaction has read of the store. */
const timezoneChanged = () =>
  new Refusal('unavailable', 'The shop has just moved to another time zone: try again in a moment')
