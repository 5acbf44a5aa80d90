import { record } from '#kit/outbox'
import { type Ctx, row, sql, text } from '#kit/postgres'
import type { PlatformAttempt } from '#platform'
import { settingsOf, storeContext } from '#stores'
import {
  billingDate,
  chargeMinorOf,
  lockSubscriptionsOfContracts,
  recordActivities,
  type Subscription
} from '#subscriptions'
import { claimNextCycle } from '#subscriptions/for-billing'
import { foundMessage } from '../activities.ts'
import { Attempt, lockRivals } from '../attempts/attempt.ts'
import { resultOf } from '../attempts/attempt-result.ts'
import { clearRetriesOfCycle, failedSettlement } from '../attempts/settlement.ts'
import { remainingWhileOpen } from '../dunning/retry-schedule.ts'
import { billingFailed } from '../events/billing-failed.ts'
import { billingPending } from '../events/billing-pending.ts'
import { dunningSettings } from '../settings.ts'
import { settleAttempts } from './settle-attempts.ts'
import { voidAttempts } from './void-attempts.ts'

/** What our key of an attempt says: contract, cycle and number of the try. */
const OUR_KEY = /^svc-(\d+)-([1-9]\d{0,8})-([1-9]\d{0,8})$/

/** An attempt of the platform under a key of ours. */
type Ours = { reported: PlatformAttempt; cycle: number; number: number }

/**
 * Those of the platform's attempts that carry a key of ours and have no row here. An attempt is stored before the platform is
 * called, so there are some only where the database is older than the platform: after a restore.
 */
export async function listUnknownAttempts(ctx: Ctx, reported: PlatformAttempt[]): Promise<PlatformAttempt[]> {
  const ours = reported.filter((attempt) => oursOf(attempt) !== null)
  if (ours.length === 0) return []
  const known = await ctx.tx.many(
    row({ idempotencyKey: text }),
    sql`
    select idempotency_key from billing_attempts
     where store_id = ${ctx.storeId} and idempotency_key = any(${ours.map((a) => a.idempotencyKey)}::text[])`
  )
  const keys = new Set(known.map(({ idempotencyKey }) => idempotencyKey))
  return ours.filter(({ idempotencyKey }) => !keys.has(idempotencyKey))
}

const OpenAttempt = row({ idempotencyKey: text, contractId: text })

/** The attempts of these contracts (platform numbers) that were sent and have no result here. */
export function listOpenAttempts(ctx: Ctx, contractIds: string[]) {
  return ctx.tx.many(
    OpenAttempt,
    sql`
    select a.idempotency_key, s.platform_contract_id as contract_id
      from subscriptions s
      join billing_attempts a on a.store_id = ${ctx.storeId} and a.subscription_id = s.id and a.status = 'pending'
           and a.submitted_at is not null
     where s.store_id = ${ctx.storeId} and s.platform_contract_id = any(${contractIds}::text[])
     order by a.id`
  )
}

/**
 * Takes over attempts that the platform has and this database does not (`listUnknownAttempts`), with all that follows from their
 * results: a cycle that was paid since the backup is not charged again. Those of contracts without a subscription are left out.
 * Returns how many were taken over.
 */
export async function adoptAttempts(ctx: Ctx, unknown: PlatformAttempt[]): Promise<number> {
  const ordered = unknown
    .flatMap((attempt) => oursOf(attempt) ?? [])
    .sort((a, b) => a.cycle - b.cycle || a.number - b.number)
  const ofContract = Map.groupBy(ordered, ({ reported }) => reported.contractId)
  let adopted = 0
  // The result of one attempt decides what the next one of its contract meets.
  for (let round = 0; ; round++) {
    const together = [...ofContract.values()].flatMap((attempts) => attempts[round] ?? [])
    if (together.length === 0) return adopted
    adopted += await adoptTogether(ctx, together)
  }
}

/** At most one attempt of each contract. */
async function adoptTogether(ctx: Ctx, attempts: Ours[]): Promise<number> {
  const subscriptions = await lockSubscriptionsOfContracts(
    ctx,
    attempts.map(({ reported }) => reported.contractId)
  )
  const byContract = new Map(subscriptions.map((s) => [s.platformContractId, s]))
  const found = attempts.flatMap((one): Found[] => {
    const subscription = byContract.get(one.reported.contractId)
    return subscription ? [{ ...one, subscription }] : []
  })
  if (found.length === 0) return 0
  const rivals = await lockRivals(
    ctx,
    found.map(({ subscription, cycle }) => ({ subscriptionId: subscription.id, cycleIndex: cycle }))
  )
  const unsent = rivals.filter(({ status, submittedAt }) => status === 'pending' && submittedAt === null)
  await voidAttempts(ctx, unsent, 'superseded')
  const isTaken = ({ subscription, cycle }: Found) =>
    rivals.some((r) => r.subscriptionId === subscription.id && r.cycleIndex === cycle && !unsent.includes(r))
  const inserted = await insertAdopted(ctx, found, isTaken)
  await recordAdopted(ctx, inserted)
  // Also those whose key has an attempt here: the platform has two under that key.
  await settleAttempts(
    ctx,
    found.flatMap(({ reported }) => resultOf(reported) ?? []),
    found.flatMap(({ reported: { id, idempotencyKey, nextActionUrl } }) =>
      nextActionUrl ? [{ idempotencyKey, platformAttemptId: id, actionUrl: nextActionUrl }] : []
    )
  )
  return inserted.length
}

type Found = Ours & { subscription: Subscription }
type Inserted = Found & { attempt: Attempt }

/**
 * Writes them as sent and open, to be settled next. Where the cycle has another attempt that is open or paid, as failed: a payment
 * then counts as one that was reported late.
 */
async function insertAdopted(ctx: Ctx, found: Found[], isTaken: (one: Found) => boolean): Promise<Inserted[]> {
  const { timezone } = await storeContext(ctx)
  const dunning = await settingsOf(ctx, dunningSettings)
  const attempts = await ctx.tx.many(
    Attempt,
    sql`
    insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key, amount_minor,
      currency, cycle_at, attempts_remaining, scheduled_at, submitted_at, platform_attempt_id, check_at, completed_at, error_code,
      error_message, created_at)
    select ${ctx.storeId}, t.subscription_id, t.cycle, t.number, case when t.is_taken then 'failed' else 'pending' end, t.key,
           t.amount, t.currency, t.cycle_at, t.remaining, t.created_at, t.created_at, t.platform_id,
           case when not t.is_taken then ${ctx.now}::timestamptz end, case when t.is_taken then ${ctx.now}::timestamptz end,
           case when t.is_taken then 'superseded' end, case when t.is_taken then ${TAKEN} end, ${ctx.now}
      from unnest(${found.map(({ subscription }) => subscription.id)}::bigint[], ${found.map(({ cycle }) => cycle)}::int[],
                  ${found.map(({ number }) => number)}::int[], ${found.map(isTaken)}::boolean[],
                  ${found.map(({ reported }) => reported.idempotencyKey)}::text[],
                  ${found.map(({ subscription }) => chargeMinorOf(subscription))}::bigint[],
                  ${found.map(({ subscription }) => subscription.currency)}::text[],
                  ${found.map(({ subscription, cycle }) => billingDate(subscription, cycle, timezone))}::timestamptz[],
                  ${found.map(({ subscription }) => remainingWhileOpen(subscription, dunning))}::int[],
                  ${found.map(({ reported }) => reported.createdAt)}::timestamptz[],
                  ${found.map(({ reported }) => reported.id)}::text[])
             as t(subscription_id, cycle, number, is_taken, key, amount, currency, cycle_at, remaining, created_at, platform_id)
    on conflict do nothing
    returning *`
  )
  const byKey = new Map(attempts.map((attempt) => [attempt.idempotencyKey, attempt]))
  const inserted = found.flatMap((one) => {
    const attempt = byKey.get(one.reported.idempotencyKey)
    return attempt ? [{ ...one, attempt }] : []
  })
  for (const { attempt, subscription, cycle, reported } of inserted) {
    // Nothing else falls due until it is settled. Cycles before it were skipped or missed since the backup.
    const isNext = attempt.status === 'pending' && subscription.status === 'active' && cycle >= subscription.nextCycle
    if (isNext) await claimNextCycle(ctx, { ...subscription, nextCycle: cycle })
    // What an earlier one has announced was this one.
    if (attempt.status === 'pending') await clearRetriesOfCycle(ctx, attempt, { isPaid: reported.state === 'success' })
  }
  return inserted
}

const TAKEN = 'Another charge of the cycle is open or paid'

async function recordAdopted(ctx: Ctx, inserted: Inserted[]): Promise<void> {
  await record(
    ctx,
    ...inserted.flatMap(({ attempt, subscription }) => {
      const of = { attempt, subscription }
      const ended = { ...failedSettlement(attempt.id), errorCode: 'superseded', errorMessage: TAKEN }
      return [billingPending(of), ...(attempt.status === 'failed' ? [billingFailed(of, ended)] : [])]
    })
  )
  await recordActivities(
    ctx,
    inserted.map(({ attempt }) => foundMessage(attempt))
  )
}

function oursOf(reported: PlatformAttempt): Ours | null {
  const [, contractId, cycle, number] = OUR_KEY.exec(reported.idempotencyKey) ?? []
  if (contractId !== reported.contractId) return null
  return { reported, cycle: Number(cycle), number: Number(number) }
}
