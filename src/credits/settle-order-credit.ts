import type { Ctx } from '#kit/postgres'
import { followMerges } from '#members'
import { changeCredits } from './change-credits.ts'
import type { CreditEntry } from './credit.ts'
import { endLapsedReservations } from './end-reservation.ts'
import { planTakeBack, type ReversedOrder, type TakeBackType, type TakenBack, undoLast } from './plan-take-back.ts'
import { type Restoration, restoreCredit } from './restore-credit.ts'
import { type EntryOfOrder, listEntriesOfOrder } from './reversal-queries.ts'

export type OrderReversal = ReversedOrder & { orderId: number }

/** Types of entries that issue credit because of an order. */
const ISSUING = new Set<CreditEntry['type']>(['membership_charge', 'churn_offer', 'loyalty_reward'])

/**
 * Takes back, or gives back, the credit that orders have issued, so that it is what their refunds and disputes leave (`planTakeBack`): linked
 * entries for each entry that issued some. What is left of that credit goes first, then the customer's other credit, at most what is available;
 * the rest is the shortfall of the entry. What reservations hold of it is taken when they give it back. It compares with what was taken
 * before, so a share that is settled writes nothing.
 */
export async function settleOrderCredit(ctx: Ctx, reversals: OrderReversal[]): Promise<void> {
  for (const reversal of reversals) await settle(ctx, reversal)
}

async function settle(ctx: Ctx, { orderId, ...order }: OrderReversal): Promise<void> {
  const { entries, ownerOf } = await lockEntriesOfOrder(ctx, orderId)
  const nth = entries.filter(({ reversesId }) => reversesId !== null).length + 1
  const steps = entries.filter(isIssuing).flatMap((issued) => {
    const before = takeBacksOf(issued, entries)
    const common = { issued, before, memberId: ownerOf(issued.memberId) }
    return planTakeBack(issued.amountMinor, order, before).map((step) => ({ ...step, ...common }))
  })
  const operationOf = (type: TakeBackType, entryId: number) => `order:${orderId}:${type}:${nth}:${entryId}`
  await restoreCredit(
    ctx,
    steps.flatMap(({ type, asked, reason, before, memberId }) => {
      if (asked > 0) return []
      const ofType = before.filter((one) => one.type === type)
      return undoLast(ofType, -asked).flatMap(({ of, ...undone }) =>
        restorationsOf(of, undone).map((part) => {
          return { ...part, memberId, type, reason, operationId: operationOf(type, part.entryId) }
        })
      )
    })
  )
  await changeCredits(
    ctx,
    steps.flatMap(({ type, asked, reason, issued, memberId }) => {
      if (asked < 0) return []
      const operationId = operationOf(type, issued.id)
      const change = { memberId, type, amountMinor: -asked, reason, operationId, orderId, reversesId: issued.id }
      return [{ ...change, isCapped: true }]
    })
  )
}

const isIssuing = ({ type, amountMinor, reversesId }: EntryOfOrder) =>
  reversesId === null && amountMinor > 0 && ISSUING.has(type)

/** A refund or dispute with what was taken later of its shortfall. */
type TakeBack = TakenBack & {
  id: number
  type: TakeBackType
  /** The last one first: each entry that took something, and what was not given back of it. */
  parts: { entryId: number; left: number }[]
}

/** What refunds and disputes have taken back of an entry, oldest first. */
function takeBacksOf(issued: EntryOfOrder, entries: EntryOfOrder[]): TakeBack[] {
  const reversing = Map.groupBy(entries, ({ reversesId }) => reversesId)
  const linked = Map.groupBy(entries, ({ takeBackId }) => takeBackId)
  const leftOf = ({ id, amountMinor }: EntryOfOrder) =>
    (reversing.get(id) ?? []).reduce((left, given) => left - given.amountMinor, -amountMinor)
  return (reversing.get(issued.id) ?? []).flatMap((first): TakeBack[] => {
    const { id, type, takeBackId, shortfallMinor } = first
    if ((type !== 'refund' && type !== 'dispute') || takeBackId !== null) return []
    const later = linked.get(id) ?? []
    const more = later.filter(({ reversesId }) => reversesId === issued.id)
    const parts = [first, ...more].map((part) => ({ entryId: part.id, left: leftOf(part) })).toReversed()
    const taken = parts.reduce((sum, { left }) => sum + left, 0)
    const shortfall = later.reduce((sum, entry) => sum + entry.shortfallMinor, shortfallMinor)
    return [{ id, type, taken, shortfall, parts }]
  })
}

/** What gives back a part of a take-back, the last of its entries first; one that took nothing only takes off its shortfall. */
function restorationsOf(
  { id, parts }: TakeBack,
  { taken, shortfall }: TakenBack
): Pick<Restoration, 'entryId' | 'amountMinor' | 'takeBackId' | 'droppedMinor'>[] {
  let open = taken
  const given = parts.flatMap(({ entryId, left }) => {
    const amountMinor = Math.min(left, open)
    open -= amountMinor
    return amountMinor > 0 ? [{ entryId, amountMinor, takeBackId: id, droppedMinor: 0 }] : []
  })
  if (given.length === 0) given.push({ entryId: id, amountMinor: 0, takeBackId: id, droppedMinor: 0 })
  given[0]!.droppedMinor = shortfall
  return given
}

/**
 * The entries of an order, with the accounts locked of whom they are and of who has their credit now. Who that is may change while we wait for
 * a lock, by a merge of customers. Reservations whose time is over have ended, so that what is taken of them is among the entries.
 */
async function lockEntriesOfOrder(ctx: Ctx, orderId: number) {
  const locked = new Set<number>()
  for (;;) {
    const entries = await listEntriesOfOrder(ctx, orderId)
    const kept = await followMerges(ctx, [...new Set(entries.map(({ memberId }) => memberId))])
    const missing = [...kept].flat().filter((id) => !locked.has(id))
    if (missing.length === 0) return { entries, ownerOf: (memberId: number) => kept.get(memberId)! }
    await endLapsedReservations(ctx, [...new Set(missing)])
    for (const id of missing) locked.add(id)
  }
}
