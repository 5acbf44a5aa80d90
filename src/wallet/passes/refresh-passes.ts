import { Type } from 'typebox'
import { defineJob, enqueue } from '#kit/jobs'
import { consumer, type StoredFact } from '#kit/outbox'
import { type Ctx, type Database, int, row, sql } from '#kit/postgres'
import { membersOfFacts } from '#members'
import { derivePassContents, hashOfContent } from '../pass-content.ts'
import { lockPassesAfter, lockPassesOfMembers, markPassesChanged, nextTag, type Pass } from './passes.ts'
import { pushPassDeclared } from './push-pass.ts'

/** The facts after which the pass of a member may show something else. */
const OF_MEMBERS = [
  'member.created',
  'member.updated',
  'member.tier_changed',
  'member.points_changed',
  'customer.changed',
  'subscription.created',
  'subscription.activated',
  'subscription.updated',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancelled',
  'billing.success',
  'billing.failed',
  'billing.retry_scheduled',
  'store_credit.added',
  'store_credit.deducted',
  'store_credit.reservation_changed'
] as const

/** The facts after which all passes of a store may. */
const OF_STORES = ['plan.changed', 'wallet_campaign.changed'] as const

/** Passes that are compared in one transaction. */
const BATCH = 200

export const walletConsumer = consumer('wallet', [...OF_MEMBERS, ...OF_STORES], refreshPassesOfFacts, { from: 'now' })

/** Compares all passes of a store with what they are to show, a batch in a run. */
export const refreshPassesJob = defineJob(
  'refresh-wallet-passes',
  Type.Object({ after: Type.Integer() }),
  { priority: 'low', dedupe: () => 'all' },
  ({ db }: { db: Database }, storeId, jobs) =>
    Promise.all(
      jobs.map(({ input, renewLease }) =>
        db.inStore(storeId, async (ctx) => {
          await renewLease(ctx)
          const passes = await lockPassesAfter(ctx, input.after, BATCH)
          await refreshPasses(ctx, passes)
          return passes.length < BATCH
            ? { done: true as const }
            : { done: false as const, continues: true as const, input: { after: passes.at(-1)!.id } }
        })
      )
    )
)

/** Has all passes of the store compared, and phones notified where something differs. */
export const refreshAllPasses = (ctx: Ctx): Promise<void> => enqueue(ctx, refreshPassesJob, [{ after: 0 }])

async function refreshPassesOfFacts(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  if (facts.some(({ name }) => OF_STORES.some((one) => one === name))) await refreshAllPasses(ctx)
  const memberIds = new Set(membersOfFacts(facts))
  if (memberIds.size > 0) await refreshPassesOfMembers(ctx, [...memberIds])
}

/** Compares the passes of these members. */
async function refreshPassesOfMembers(ctx: Ctx, memberIds: number[]): Promise<void> {
  await refreshPasses(ctx, await lockPassesOfMembers(ctx, memberIds))
}

/** Customers were deleted on the platform (its numbers): their passes become void, and no fact reports that. */
export async function voidPassesOfDeleted(ctx: Ctx, customerIds: string[]): Promise<void> {
  const members = await ctx.tx.many(
    row({ id: int }),
    sql`
    select id from members
     where store_id = ${ctx.storeId} and platform_customer_id = any(${customerIds}::text[]) and platform_deleted_at is not null`
  )
  await refreshPassesOfMembers(
    ctx,
    members.map(({ id }) => id)
  )
}

/** Two customers were merged: their passes are of the one that was kept, and show that one. What they own was transferred before. */
export async function reassignPasses(ctx: Ctx, fromMember: number, toMember: number): Promise<void> {
  await ctx.tx.run(sql`
    update wallet_passes set member_id = ${toMember} where store_id = ${ctx.storeId} and member_id = ${fromMember}`)
  await refreshPassesOfMembers(ctx, [toMember])
}

/** Notes which of these locked passes show something else now, and has their phones notified. */
async function refreshPasses(ctx: Ctx, passes: Pass[]): Promise<void> {
  if (passes.length === 0) return
  const contents = await derivePassContents(ctx, [...new Set(passes.map(({ memberId }) => memberId))])
  const changed = passes.flatMap((pass) => {
    const content = contents.get(pass.memberId)
    if (!content) return []
    const contentHash = hashOfContent(content)
    if (contentHash === pass.contentHash) return []
    return [{ id: pass.id, contentHash, isVoided: content.isVoided, changedAt: changeTime(ctx.now, pass.changedAt) }]
  })
  if (changed.length === 0) return
  await markPassesChanged(ctx, await nextTag(ctx), changed)
  await enqueue(
    ctx,
    pushPassDeclared,
    changed.map(({ id }) => ({ passId: id }))
  )
}

/** The whole second of a change. HTTP compares dates by seconds, so that no two changes may have the same one. */
export function changeTime(now: Temporal.Instant, last: Temporal.Instant | null): Temporal.Instant {
  const second = now.round({ smallestUnit: 'second', roundingMode: 'floor' })
  const next = last?.add({ seconds: 1 })
  return next && Temporal.Instant.compare(next, second) > 0 ? next : second
}
