import { type Ctx, directSql, instant, int, nullable, type Queries, row, sql, text } from '#kit/postgres'
import { type Standing, setStandings } from '#members'
import { type PaymentMethod, Subscription } from './subscription.ts'

/** Holds the rows, in order of id, so that two callers cannot both decide; unknown ids are left out. */
export function lockSubscriptions(ctx: Ctx, ids: number[]): Promise<Subscription[]> {
  return ctx.tx.many(
    Subscription,
    sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.id = any(${ids}::bigint[])
     order by s.id for update of s`
  )
}

/** As lockSubscriptions, by the platform's contract numbers. */
export function lockSubscriptionsOfContracts(ctx: Ctx, contractIds: string[]): Promise<Subscription[]> {
  return ctx.tx.many(
    Subscription,
    sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.platform_contract_id = any(${contractIds}::text[])
     order by s.id for update of s`
  )
}

/** Whose contract it is; not locked. */
export function findSubscriptionByContract(ctx: Ctx, contractId: string) {
  return ctx.tx.maybeOne(
    row({ id: int, memberId: int, customerPlatformId: text }),
    sql`
    select s.id, s.member_id, m.platform_customer_id as customer_platform_id
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.platform_contract_id = ${contractId}`
  )
}

/** Holds up to `limit` subscriptions that billing must look at by now, earliest first; what another holds is left out. */
export function lockDueSubscriptions(ctx: Ctx, limit: number): Promise<Subscription[]> {
  return ctx.tx.many(
    Subscription,
    sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.billing_due_at <= ${ctx.now}
     order by s.billing_due_at, s.id limit ${limit} for update of s skip locked`
  )
}

/** Holds paused subscriptions whose pause is over by now. */
export function lockEndedPauses(ctx: Ctx, limit: number): Promise<Subscription[]> {
  return ctx.tx.many(
    Subscription,
    sql`
    select s.*, m.platform_customer_id, m.email, m.first_name, m.last_name
      from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.resumes_at <= ${ctx.now}
     order by s.resumes_at, s.id limit ${limit} for update of s skip locked`
  )
}

/** What a change leaves behind on a row. Everything else of the row stays. */
export type SubscriptionState = Pick<
  Subscription,
  | 'id'
  | 'status'
  | 'priceMinor'
  | 'anchorAt'
  | 'anchorCycle'
  | 'cycleIndex'
  | 'nextCycle'
  | 'nextBillingAt'
  | 'billingDueAt'
  | 'declines'
  | 'platformRevision'
  | 'pausedAt'
  | 'resumesAt'
  | 'cancelledAt'
  | 'cancelReason'
> & { cancelComment?: string | null; paymentMethod: PaymentMethod | null }

/** Writes states of locked rows in one statement. */
export async function markStates(ctx: Ctx, states: SubscriptionState[]): Promise<void> {
  await ctx.tx.run(sql`
    update subscriptions s
       set status = t.status, price_minor = t.price, anchor_at = t.anchor_at, anchor_cycle = t.anchor_cycle,
           cycle_index = t.cycle_index, next_cycle = t.next_cycle, next_billing_at = t.next_billing_at,
           billing_due_at = t.billing_due_at, declines = t.declines, platform_revision = t.revision,
           paused_at = t.paused_at, resumes_at = t.resumes_at, cancelled_at = t.cancelled_at,
           cancel_reason = t.cancel_reason, cancel_comment = coalesce(t.cancel_comment, s.cancel_comment),
           payment_method = t.payment_method::jsonb, updated_at = ${ctx.now}
      from unnest(${states.map((s) => s.id)}::bigint[], ${states.map((s) => s.status)}::text[],
                  ${states.map((s) => s.priceMinor)}::bigint[], ${states.map((s) => s.anchorAt)}::timestamptz[],
                  ${states.map((s) => s.anchorCycle)}::int[], ${states.map((s) => s.cycleIndex)}::int[],
                  ${states.map((s) => s.nextCycle)}::int[], ${states.map((s) => s.nextBillingAt)}::timestamptz[],
                  ${states.map((s) => s.billingDueAt)}::timestamptz[], ${states.map((s) => s.declines)}::int[],
                  ${states.map((s) => s.platformRevision)}::text[], ${states.map((s) => s.pausedAt)}::timestamptz[],
                  ${states.map((s) => s.resumesAt)}::timestamptz[], ${states.map((s) => s.cancelledAt)}::timestamptz[],
                  ${states.map((s) => s.cancelReason)}::text[], ${states.map((s) => s.cancelComment ?? null)}::text[],
                  ${states.map((s) => s.paymentMethod && JSON.stringify(s.paymentMethod))}::text[])
             as t(id, status, price, anchor_at, anchor_cycle, cycle_index, next_cycle, next_billing_at, billing_due_at,
                  declines, revision, paused_at, resumes_at, cancelled_at, cancel_reason, cancel_comment, payment_method)
     where s.store_id = ${ctx.storeId} and s.id = t.id`)
}

/** Hands due rows to billing: nothing looks at them again until billing has settled. */
export async function markInBilling(ctx: Ctx, rows: { id: number; nextCycle: number }[]): Promise<void> {
  await ctx.tx.run(sql`
    update subscriptions s set billing_due_at = null, next_cycle = t.next_cycle, updated_at = ${ctx.now}
      from unnest(${rows.map((r) => r.id)}::bigint[], ${rows.map((r) => r.nextCycle)}::int[]) as t(id, next_cycle)
     where s.store_id = ${ctx.storeId} and s.id = t.id`)
}

/** Gives paused rows back a cycle that their pause passed over although no charge of it ever left the house. */
export async function giveBackCycles(ctx: Ctx, rows: { id: number; cycle: number }[]): Promise<void> {
  await ctx.tx.run(sql`
    update subscriptions s set next_cycle = t.cycle, updated_at = ${ctx.now}
      from unnest(${rows.map((r) => r.id)}::bigint[], ${rows.map((r) => r.cycle)}::int[]) as t(id, cycle)
     where s.store_id = ${ctx.storeId} and s.id = t.id and s.status = 'paused' and s.next_cycle = t.cycle + 1
       and t.cycle > s.cycle_index`)
}

/** Brings the members of changed subscriptions in line, from all that each of them holds. */
export async function refreshStandings(ctx: Ctx, memberIds: number[]): Promise<void> {
  const standings = await ctx.tx.many(
    row({
      memberId: int,
      status: text,
      planId: nullable(int),
      memberSince: instant,
      nextBillingAt: nullable(instant)
    }),
    sql`
    select s.member_id,
           case min(case s.status when 'active' then 1 when 'paused' then 2 else 3 end)
             when 1 then 'active' when 2 then 'paused' else 'cancelled' end as status,
           -- The plan of the liveliest subscription, the oldest of equals; one that has a plan before one without.
           (array_agg(s.plan_id order by case s.status when 'active' then 1 when 'paused' then 2 else 3 end,
                      s.plan_id is null, s.id))[1] as plan_id,
           min(s.created_at) as member_since,
           min(s.next_billing_at) as next_billing_at
      from subscriptions s
     where s.store_id = ${ctx.storeId} and s.member_id = any(${[...new Set(memberIds)]}::bigint[])
     group by s.member_id`
  )
  await setStandings(ctx, standings as Standing[])
}

const nextWork = directSql<[storeId: number]>(
  'subscriptions_next_work',
  `select (select min(billing_due_at) from subscriptions where store_id = $1) as due,
          (select min(resumes_at) from subscriptions where store_id = $1) as resume`
)

/** When this module next has something to do: a due charge, or a pause that ends. */
export function nextSubscriptionWork(
  direct: Queries,
  storeId: number
): Promise<{ due: Temporal.Instant | null; resume: Temporal.Instant | null }> {
  return direct.one(row({ due: nullable(instant), resume: nullable(instant) }), nextWork(storeId))
}

/** Notes revisions that our own changes on the platform led to, so that the messages about them bring no news. */
export async function noteRevisions(ctx: Ctx, rows: { id: number; revision: string }[]): Promise<void> {
  if (rows.length === 0) return
  await ctx.tx.run(sql`
    update subscriptions s set platform_revision = t.revision
      from unnest(${rows.map((r) => r.id)}::bigint[], ${rows.map((r) => r.revision)}::text[]) as t(id, revision)
     where s.store_id = ${ctx.storeId} and s.id = t.id`)
}
