import { bool, type Ctx, int, json, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
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

/** Whose price was agreed: changed, requested and waiting, or that of a new subscription. */
const Agreed = row({ id: int, mark: text })

/** The history of what agrees a price. An imported subscription may have been created long ago. */
const AGREES = ['price_changed', 'created', 'imported']

/**
 * Those of these subscriptions whose price was agreed after `since`, except what `seen` names; `seen` is from `listAgreedBefore`. Without
 * it, what a transaction that began before `since` has agreed is not among them.
 */
export async function listAgreedSince(
  ctx: Ctx,
  ids: number[],
  since: Temporal.Instant,
  seen: string[] | null
): Promise<Set<number>> {
  const after = seen ? since.subtract(LONGEST_TRANSACTION) : since
  const rows = await ctx.tx.many(
    Agreed,
    sql`
    select subscription_id as id, 'activity ' || id as mark from contract_activities
     where store_id = ${ctx.storeId} and subscription_id = any(${ids}::bigint[]) and kind = any(${AGREES}::text[])
       and occurred_at > ${after}
    union all
    select subscription_id, concat_ws(' ', 'request', subscription_id, price_minor, 'line', line_price_minor, requested_at at time zone 'UTC')
      from subscription_changes
     where store_id = ${ctx.storeId} and subscription_id = any(${ids}::bigint[]) and requested_at > ${after}
       and num_nonnulls(price_minor, line_price_minor) > 0`
  )
  const known = new Set(seen)
  return new Set(rows.filter(({ mark }) => !known.has(mark)).map(({ id }) => id))
}

/** No transaction that writes for people takes longer. */
const LONGEST_TRANSACTION = { minutes: 10 }
const MAX_SEEN = 1000
/** So much of the history is looked through. */
const MAX_NEWEST = 10_000

const AgreedBefore = row({ marks: json<string[]>(), isTooMuch: bool })

/**
 * What has agreed a price of a plan's subscriptions so shortly before now that a transaction which is under way, and cannot be seen
 * yet, may bear the same times: what is not named here was agreed later, whatever its time. Null where that is too much to name.
 */
export async function listAgreedBefore(ctx: Ctx, planId: number): Promise<string[] | null> {
  const after = ctx.now.subtract(LONGEST_TRANSACTION)
  const { marks, isTooMuch } = await ctx.tx.one(
    AgreedBefore,
    sql`
    with newest as materialized (
      select id, subscription_id, kind, occurred_at from contract_activities
       where store_id = ${ctx.storeId} order by id desc limit ${MAX_NEWEST}
    ), agreed as materialized (
      select 'activity ' || a.id as mark from newest a
        join subscriptions s on s.store_id = ${ctx.storeId} and s.id = a.subscription_id and s.plan_id = ${planId}
       where a.kind = any(${AGREES}::text[]) and a.occurred_at > ${after}
      union all
      select concat_ws(' ', 'request', c.subscription_id, c.price_minor, 'line', c.line_price_minor, c.requested_at at time zone 'UTC')
        from subscription_changes c
        join subscriptions s on s.store_id = ${ctx.storeId} and s.id = c.subscription_id and s.plan_id = ${planId}
       where c.store_id = ${ctx.storeId} and c.requested_at > ${after} and num_nonnulls(c.price_minor, c.line_price_minor) > 0
       limit ${MAX_SEEN + 1}
    )
    select coalesce((select jsonb_agg(mark) from agreed), '[]') as marks,
           (select count(*) from agreed) > ${MAX_SEEN}
           or (select count(*) from newest where occurred_at > ${after}) = ${MAX_NEWEST} as is_too_much`
  )
  return isTooMuch ? null : marks
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
