import type { Ctx } from '#kit/postgres'
import { lockKeptCustomer } from '#members'
import { findPoints } from '#points'
import type { Cause } from '../causes/cause.ts'
import { countDeeds } from '../earning/count-deeds.ts'
import { listCounts, writeCounts } from '../earning/count-queries.ts'
import type { Deed } from '../earning/deed.ts'
import { listRules } from '../rules/rule-queries.ts'
import { listEarned } from './earned-queries.ts'

/** What another program reports of a customer. */
export type ReportedEvent = {
  customerId: number
  cause: Extract<Cause, { kind: 'action' | 'review' }>
  /** Identifies the event among those of the customer of the same action or service: it counts once. */
  eventKey: string
  at: Temporal.Instant
}

/** What an event has earned: what stands of it. */
export type EventOutcome = {
  /** The customer, or who was kept where they were merged. */
  memberId: number
  /** By all of its rules together. */
  points: number
  /** What the customer can spend now. */
  balance: number
  rules: { id: number; name: string; rewardType: string; points: number | null }[]
}

/**
 * Counts an event by the rules that ask for it. One that was counted counts no second time, and returns what it has earned. A review that
 * is deleted takes its rewards back; its event never counts again, whichever of both reports comes first.
 */
export async function reportEvent(ctx: Ctx, { customerId, cause, eventKey, at }: ReportedEvent): Promise<EventOutcome> {
  const memberId = await lockKeptCustomer(ctx, customerId)
  const of = cause.kind === 'action' ? cause.actionKey : cause.provider.toLowerCase()
  const deed: Deed = { memberId, cause, key: `${cause.kind}:${of}:${eventKey}`, at, orderId: null, ruleId: null }
  if (cause.kind === 'action' || !(await isDeleted(ctx, deed))) await countDeeds(ctx, [deed])
  if (cause.kind === 'review' && cause.isDeleted) await keepDeletion(ctx, deed)
  const rules = await listEarned(ctx, memberId, deed.key)
  const { balance = 0 } = (await findPoints(ctx, [memberId])).get(memberId) ?? {}
  return { memberId, points: rules.reduce((sum, one) => sum + (one.points ?? 0), 0), balance, rules }
}

/** Of what is deleted a rule has a count of nothing. */
async function isDeleted(ctx: Ctx, deed: Deed): Promise<boolean> {
  return (await listCounts(ctx, [deed])).some(({ amount }) => amount === 0)
}

/** Where the deletion is reported before the review, no rule has counted it: each that asks for reviews counts nothing of it from now on. */
async function keepDeletion(ctx: Ctx, deed: Deed): Promise<void> {
  const { memberId, key: cause, orderId, at } = deed
  const counted = new Set((await listCounts(ctx, [deed])).map(({ ruleId }) => ruleId))
  const open = (await listRules(ctx)).filter(({ id, type }) => type.counts.amounts.review && !counted.has(id))
  await writeCounts(
    ctx,
    open.map(({ id: ruleId, version }) => ({
      ...{ ruleId, version, memberId, cause, amount: 0, multiplierHundredths: 100, orderId, at }
    }))
  )
}
