import { type Ctx, int, json, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import type { ReplacedPrices } from './replaced-prices.ts'

/** Which of a plan's subscriptions a version may move: those with an earlier one, after `afterId`. */
type Behind = { planId: number; version: number; afterId: number; limit: number }

const Id = row({ id: int })

/** Live subscriptions of a plan with an earlier version, and those whose end can be taken back; in order of id. */
export async function listBehindVersion(ctx: Ctx, { planId, version, afterId, limit }: Behind): Promise<number[]> {
  const rows = await ctx.tx.many(
    Id,
    sql`
    select id from subscriptions
     where store_id = ${ctx.storeId} and plan_id = ${planId} and id > ${afterId}
       and (status in ('active', 'paused') or grace_ends_at is not null)
       and (plan_version is null or plan_version < ${version})
     order by id limit ${limit}`
  )
  return rows.map(({ id }) => id)
}

/** The same, locked until the transaction ends. */
export async function lockBehindVersion(ctx: Ctx, { planId, version, afterId, limit }: Behind): Promise<number[]> {
  const rows = await ctx.tx.many(
    Id,
    sql`
    select id from subscriptions
     where store_id = ${ctx.storeId} and plan_id = ${planId} and id > ${afterId}
       and (status in ('active', 'paused') or grace_ends_at is not null)
       and (plan_version is null or plan_version < ${version})
     order by id limit ${limit} for no key update`
  )
  return rows.map(({ id }) => id)
}

const terms = {
  planVersion: nullable(int),
  priceMinor: int,
  unitPriceMinor: nullable(int),
  interval: oneOf('day', 'week', 'month', 'year'),
  intervalCount: int,
  requestedPlanId: nullable(int),
  requestedPriceMinor: nullable(int),
  requestedLinePriceMinor: nullable(int),
  requestedInterval: nullable(oneOf('day', 'week', 'month', 'year')),
  requestedIntervalCount: nullable(int)
}

const Repriced = row({
  id: int,
  memberId: int,
  email: nullable(text),
  status: oneOf('active', 'paused', 'cancelled', 'failed', 'expired'),
  ...terms,
  /** Requested and waiting; it stays so. */
  platformPaymentMethodId: nullable(text),
  /** Of the requested price. */
  requestedReplaces: nullable(json<ReplacedPrices>())
})
export type Repriced = RowOf<typeof Repriced>

/** The terms of these subscriptions and their customers, in order of id. */
export function listRepriced(ctx: Ctx, ids: number[]): Promise<Repriced[]> {
  if (ids.length === 0) return Promise.resolve([])
  return ctx.tx.many(
    Repriced,
    sql`
    select s.id, s.member_id, m.email, s.status, s.plan_version, s.price_minor, s.unit_price_minor, s.interval, s.interval_count,
           c.plan_id as requested_plan_id, c.price_minor as requested_price_minor,
           c.line_price_minor as requested_line_price_minor, c.interval as requested_interval,
           c.interval_count as requested_interval_count, c.platform_payment_method_id,
           c.replaces as requested_replaces
      from subscriptions s
      join members m on m.store_id = ${ctx.storeId} and m.id = s.member_id
      left join subscription_changes c on c.store_id = ${ctx.storeId} and c.subscription_id = s.id
     where s.store_id = ${ctx.storeId} and s.id = any(${ids}::bigint[])
     order by s.id`
  )
}

/** Those of these subscriptions whose price was changed, or requested, after this instant. */
export async function listAgreedSince(ctx: Ctx, ids: number[], since: Temporal.Instant): Promise<Set<number>> {
  const rows = await ctx.tx.many(
    Id,
    sql`
    select subscription_id as id from contract_activities
     where store_id = ${ctx.storeId} and subscription_id = any(${ids}::bigint[]) and kind = 'price_changed' and occurred_at > ${since}
    union
    select subscription_id from subscription_changes
     where store_id = ${ctx.storeId} and subscription_id = any(${ids}::bigint[]) and requested_at > ${since}
       and num_nonnulls(price_minor, line_price_minor) > 0`
  )
  return new Set(rows.map(({ id }) => id))
}

const Fingerprint = row({ count: int, sum: text })

/**
 * A text that changes with who would be moved to this version of a plan, and with what they have: their terms, and those that were
 * requested and wait.
 */
export async function fingerprintBehind(ctx: Ctx, { planId, version }: Pick<Behind, 'planId' | 'version'>) {
  const { count, sum } = await ctx.tx.one(
    Fingerprint,
    sql`
    select count(*) as count, coalesce(sum(hashtextextended(row(
             s.id, s.plan_version, s.price_minor, s.unit_price_minor, s.interval, s.interval_count,
             c.plan_id, c.price_minor, c.line_price_minor, c.interval, c.interval_count)::text, 0)), 0)::text as sum
      from subscriptions s
      left join subscription_changes c on c.store_id = ${ctx.storeId} and c.subscription_id = s.id
     where s.store_id = ${ctx.storeId} and s.plan_id = ${planId}
       and (s.status in ('active', 'paused') or s.grace_ends_at is not null)
       and (s.plan_version is null or s.plan_version < ${version})`
  )
  return `${count}:${sum}`
}

const SameTerms = row({ ...terms, count: int })

/** How many subscriptions that a version may move have the same terms, whatever they are. */
export function countByTerms(ctx: Ctx, { planId, version }: Pick<Behind, 'planId' | 'version'>) {
  return ctx.tx.many(
    SameTerms,
    sql`
    select s.plan_version, s.price_minor, s.unit_price_minor, s.interval, s.interval_count,
           c.plan_id as requested_plan_id, c.price_minor as requested_price_minor,
           c.line_price_minor as requested_line_price_minor, c.interval as requested_interval,
           c.interval_count as requested_interval_count, count(*) as count
      from subscriptions s
      left join subscription_changes c on c.store_id = ${ctx.storeId} and c.subscription_id = s.id
     where s.store_id = ${ctx.storeId} and s.plan_id = ${planId}
       and (s.status in ('active', 'paused') or s.grace_ends_at is not null)
       and (s.plan_version is null or s.plan_version < ${version})
     group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10`
  )
}

/** Sets the version of these subscriptions. */
export async function markVersion(ctx: Ctx, version: number, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await ctx.tx.run(sql`
    update subscriptions set plan_version = ${version}
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[])`)
}
