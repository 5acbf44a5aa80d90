import { type Ctx, int, json, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { ACTORS } from './history/activity.ts'
import type { Actor } from './history/activity-messages.ts'
import { enqueueContractEdit } from './platform-requests.ts'
import type { ReplacedPrices } from './replaced-prices.ts'

/** How long a cycle that is due waits for a change that the platform's contract does not have yet, until it is due again. */
const DEFERRED_FOR = '15 minutes'

/** A change of terms that was requested and that the platform's contract does not have yet. Null: stays as it is. */
const Change = row({
  subscriptionId: int,
  planId: nullable(int),
  priceMinor: nullable(int),
  /** The price of one unit of what the plan sells, whatever else the contract costs: the price of a version of the plan. */
  linePriceMinor: nullable(int),
  interval: nullable(oneOf('day', 'week', 'month', 'year')),
  intervalCount: nullable(int),
  platformPaymentMethodId: nullable(text),
  /** Null where no price is requested, or where it is not known what the price was then. */
  replaces: nullable(json<ReplacedPrices>()),
  actor: oneOf(...ACTORS),
  actorId: nullable(text),
  version: int
})
export type Change = RowOf<typeof Change>
export type NewChange = Omit<Change, 'version'>

/** The waiting changes of these subscriptions; at most one each. */
export function listChanges(ctx: Ctx, subscriptionIds: number[]): Promise<Change[]> {
  return ctx.tx.many(
    Change,
    sql`
    select subscription_id, plan_id, price_minor, line_price_minor, interval, interval_count, platform_payment_method_id, replaces,
           actor, actor_id, version
      from subscription_changes
     where store_id = ${ctx.storeId} and subscription_id = any(${subscriptionIds}::bigint[])`
  )
}

/** Replaces the changes that wait, and requests the edits of the platform's contracts. */
export async function writeChanges(ctx: Ctx, changes: NewChange[]): Promise<void> {
  if (changes.length === 0) return
  await ctx.tx.run(sql`
    insert into subscription_changes as c (store_id, subscription_id, plan_id, price_minor, line_price_minor, interval, interval_count,
      platform_payment_method_id, replaces, actor, actor_id, requested_at)
    select ${ctx.storeId}, t.id, t.plan_id, t.price, t.line_price, t.interval, t.interval_count, t.method, t.replaces::jsonb,
           t.actor, t.actor_id, ${ctx.now}
      from unnest(${changes.map((c) => c.subscriptionId)}::bigint[], ${changes.map((c) => c.planId)}::bigint[],
                  ${changes.map((c) => c.priceMinor)}::bigint[], ${changes.map((c) => c.linePriceMinor)}::bigint[],
                  ${changes.map((c) => c.interval)}::text[],
                  ${changes.map((c) => c.intervalCount)}::int[],
                  ${changes.map((c) => c.platformPaymentMethodId)}::text[],
                  ${changes.map((c) => c.replaces && JSON.stringify(c.replaces))}::text[],
                  ${changes.map((c) => c.actor)}::text[], ${changes.map((c) => c.actorId)}::text[])
             as t(id, plan_id, price, line_price, interval, interval_count, method, replaces, actor, actor_id)
    on conflict (store_id, subscription_id) do update
      set plan_id = excluded.plan_id, price_minor = excluded.price_minor,
          line_price_minor = excluded.line_price_minor, interval = excluded.interval,
          interval_count = excluded.interval_count, platform_payment_method_id = excluded.platform_payment_method_id,
          replaces = excluded.replaces, actor = excluded.actor, actor_id = excluded.actor_id, requested_at = excluded.requested_at,
          version = c.version + 1`)
  await enqueueContractEdit(
    ctx,
    changes.map((c) => c.subscriptionId)
  )
}

/** Tries the waiting changes of these subscriptions again: what they waited for may be over. */
export async function enqueueWaitingEdits(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  const waiting = await ctx.tx.many(
    row({ id: int }),
    sql`
    select subscription_id as id from subscription_changes
     where store_id = ${ctx.storeId} and subscription_id = any(${subscriptionIds}::bigint[])`
  )
  await enqueueContractEdit(
    ctx,
    waiting.map(({ id }) => id)
  )
}

/** Removes the waiting change of a subscription, which asks for nothing different any more. */
export async function dropChange(ctx: Ctx, subscriptionId: number): Promise<void> {
  await endChanges(ctx, await listChanges(ctx, [subscriptionId]))
}

/** Ends changes, unless others have replaced them meanwhile; cycles that were deferred for them are due again. */
export async function endChanges(ctx: Ctx, changes: Pick<Change, 'subscriptionId' | 'version'>[]): Promise<void> {
  if (changes.length === 0) return
  await ctx.tx.run(sql`
    with ended as (
      delete from subscription_changes c
       using unnest(${changes.map((c) => c.subscriptionId)}::bigint[], ${changes.map((c) => c.version)}::int[])
               as t(id, version)
       where c.store_id = ${ctx.storeId} and c.subscription_id = t.id and c.version = t.version
      returning c.subscription_id)
    update subscriptions s set billing_due_at = s.next_billing_at
      from ended
     where s.store_id = ${ctx.storeId} and s.id = ended.subscription_id and s.status = 'active' and s.declines = 0
       and s.billing_due_at > s.next_billing_at`)
}

/** Ends whatever was requested of subscriptions that have ended for good. */
export async function endChangesOf(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  await ctx.tx.run(sql`
    delete from subscription_changes
     where store_id = ${ctx.storeId} and subscription_id = any(${subscriptionIds}::bigint[])`)
}

/** Ends requested payment methods, unless other changes have replaced these meanwhile; other terms go on waiting. */
export async function endMethodChanges(ctx: Ctx, changes: Pick<Change, 'subscriptionId' | 'version'>[]): Promise<void> {
  if (changes.length === 0) return
  await ctx.tx.run(sql`
    update subscription_changes c set platform_payment_method_id = null, version = c.version + 1
      from unnest(${changes.map((c) => c.subscriptionId)}::bigint[], ${changes.map((c) => c.version)}::int[])
             as t(id, version)
     where c.store_id = ${ctx.storeId} and c.subscription_id = t.id and c.version = t.version`)
}

/** Defers cycles that have just fallen due until a change that was requested before is made, so that they are billed by it. */
export async function deferForChanges(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  await ctx.tx.run(sql`
    update subscriptions set billing_due_at = ${ctx.now}::timestamptz + ${DEFERRED_FOR}::interval
     where store_id = ${ctx.storeId} and id = any(${subscriptionIds}::bigint[])`)
  await enqueueContractEdit(ctx, subscriptionIds)
}

/** Who requested the changes that wait. */
export async function requestersOf(ctx: Ctx, subscriptionIds: number[]): Promise<Map<number, Actor>> {
  if (subscriptionIds.length === 0) return new Map()
  const changes = await listChanges(ctx, subscriptionIds)
  return new Map(changes.map(({ subscriptionId, actor, actorId }) => [subscriptionId, { actor, actorId }]))
}
