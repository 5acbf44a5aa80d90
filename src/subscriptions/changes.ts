import { Type } from 'typebox'
import { declareJob, enqueue } from '#kit/jobs'
import { type Ctx, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { ACTORS } from './activity.ts'
import type { Actor } from './activity-messages.ts'

/** Has the platform's contract take over what was asked for. */
export const editContractJob = declareJob('edit-contract', Type.Object({ subscriptionId: Type.Integer() }), {
  dedupe: ({ subscriptionId }) => subscriptionId
})

/** How long a cycle that is due waits for a change that the platform has not taken yet, before it is asked again. */
const HOLD = '15 minutes'

/** A change of terms that was asked for and that the platform's contract does not have yet. Null: stays as it is. */
const Change = row({
  subscriptionId: int,
  planId: nullable(int),
  priceMinor: nullable(int),
  /** The price of one of what is sold under the plan, whatever else the contract costs: that of a version of the plan. */
  linePriceMinor: nullable(int),
  interval: nullable(oneOf('day', 'week', 'month', 'year')),
  intervalCount: nullable(int),
  platformPaymentMethodId: nullable(text),
  actor: oneOf(...ACTORS),
  actorId: nullable(text),
  version: int
})
export type Change = RowOf<typeof Change>
export type NewChange = Omit<Change, 'version'>

/** Waiting changes, of those that have one. */
export function listChanges(ctx: Ctx, subscriptionIds: number[]): Promise<Change[]> {
  return ctx.tx.many(
    Change,
    sql`
    select subscription_id, plan_id, price_minor, line_price_minor, interval, interval_count, platform_payment_method_id, actor, actor_id,
           version
      from subscription_changes
     where store_id = ${ctx.storeId} and subscription_id = any(${subscriptionIds}::bigint[])`
  )
}

/** Puts changes in the place of those that wait, and has them brought to the platform. */
export async function writeChanges(ctx: Ctx, changes: NewChange[]): Promise<void> {
  if (changes.length === 0) return
  await ctx.tx.run(sql`
    insert into subscription_changes as c (store_id, subscription_id, plan_id, price_minor, line_price_minor, interval, interval_count,
      platform_payment_method_id, actor, actor_id, requested_at)
    select ${ctx.storeId}, t.id, t.plan_id, t.price, t.line_price, t.interval, t.interval_count, t.method, t.actor, t.actor_id, ${ctx.now}
      from unnest(${changes.map((c) => c.subscriptionId)}::bigint[], ${changes.map((c) => c.planId)}::bigint[],
                  ${changes.map((c) => c.priceMinor)}::bigint[], ${changes.map((c) => c.linePriceMinor)}::bigint[],
                  ${changes.map((c) => c.interval)}::text[],
                  ${changes.map((c) => c.intervalCount)}::int[],
                  ${changes.map((c) => c.platformPaymentMethodId)}::text[], ${changes.map((c) => c.actor)}::text[],
                  ${changes.map((c) => c.actorId)}::text[])
             as t(id, plan_id, price, line_price, interval, interval_count, method, actor, actor_id)
    on conflict (store_id, subscription_id) do update
      set plan_id = excluded.plan_id, price_minor = excluded.price_minor,
          line_price_minor = excluded.line_price_minor, interval = excluded.interval,
          interval_count = excluded.interval_count, platform_payment_method_id = excluded.platform_payment_method_id,
          actor = excluded.actor, actor_id = excluded.actor_id, requested_at = excluded.requested_at,
          version = c.version + 1`)
  await editContracts(
    ctx,
    changes.map((c) => c.subscriptionId)
  )
}

function editContracts(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  return enqueue(
    ctx,
    editContractJob,
    subscriptionIds.map((subscriptionId) => ({ subscriptionId }))
  )
}

/** Has waiting changes of these looked at again: what they waited for may be over. */
export async function editWaitingContracts(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  const waiting = await ctx.tx.many(
    row({ id: int }),
    sql`
    select subscription_id as id from subscription_changes
     where store_id = ${ctx.storeId} and subscription_id = any(${subscriptionIds}::bigint[])`
  )
  await editContracts(
    ctx,
    waiting.map(({ id }) => id)
  )
}

/** Takes back what was asked for and is no change any more. */
export async function dropChange(ctx: Ctx, subscriptionId: number): Promise<void> {
  await endChanges(ctx, await listChanges(ctx, [subscriptionId]))
}

/** Ends changes, unless others have taken their place meanwhile; what waited for them to be billed waits no more. */
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

/** Ends whatever was asked for of subscriptions that are over for good. */
export async function endChangesOf(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  await ctx.tx.run(sql`
    delete from subscription_changes
     where store_id = ${ctx.storeId} and subscription_id = any(${subscriptionIds}::bigint[])`)
}

/** Ends what was asked for of their payment methods, unless others have taken their place meanwhile; other terms wait on. */
export async function endMethodChanges(ctx: Ctx, changes: Pick<Change, 'subscriptionId' | 'version'>[]): Promise<void> {
  if (changes.length === 0) return
  await ctx.tx.run(sql`
    update subscription_changes c set platform_payment_method_id = null, version = c.version + 1
      from unnest(${changes.map((c) => c.subscriptionId)}::bigint[], ${changes.map((c) => c.version)}::int[])
             as t(id, version)
     where c.store_id = ${ctx.storeId} and c.subscription_id = t.id and c.version = t.version`)
}

/** Lets cycles that have just fallen due wait for a change that was asked for before, so that they are billed by it. */
export async function deferForChanges(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  await ctx.tx.run(sql`
    update subscriptions set billing_due_at = ${ctx.now}::timestamptz + ${HOLD}::interval
     where store_id = ${ctx.storeId} and id = any(${subscriptionIds}::bigint[])`)
  await editContracts(ctx, subscriptionIds)
}

/** Who asked for the changes that wait. */
export async function askersOf(ctx: Ctx, subscriptionIds: number[]): Promise<Map<number, Actor>> {
  if (subscriptionIds.length === 0) return new Map()
  const changes = await listChanges(ctx, subscriptionIds)
  return new Map(changes.map(({ subscriptionId, actor, actorId }) => [subscriptionId, { actor, actorId }]))
}
