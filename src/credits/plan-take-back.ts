import { inProportion } from '#kit/money'

/** What takes credit or points back that an order has issued. */
export type TakeBackType = 'refund' | 'dispute'
/** How much of an order is refunded, and how much of it disputes claim, in minor units. */
export type ReversedOrder = { wholeMinor: number; refundedMinor: number; disputedMinor: number }
/** What was taken back and not given back since, and what could not be taken and is still asked for. */
export type TakenBack = { taken: number; shortfall: number }
/** A change of what is asked for: above zero it is taken back, below zero given back. */
export type TakeBackStep = { type: TakeBackType; asked: number; reason: string }

/**
 * What is to change so that refunds and disputes of an order ask for their shares of what it has issued, credit or points: for all of it
 * together at most. The share of a part of the order is rounded down, unless `shareOf` says otherwise. Each asks for its own share only. What it
 * could not take stays asked for and is not asked for again, neither by a later one. Disputes of which none counts any more ask for nothing; beyond that, what is asked for too much is undone where it is too
 * much, first of refunds. Steps that give back come first.
 */
export function planTakeBack(
  issued: number,
  { wholeMinor, refundedMinor, disputedMinor }: ReversedOrder,
  before: (TakenBack & { type: TakeBackType })[],
  shareOf = (partMinor: number): number => inProportion(issued, partMinor, wholeMinor)
): TakeBackStep[] {
  const was = { refund: askedOf(before, 'refund'), dispute: askedOf(before, 'dispute') }
  const forRefunds = shareOf(refundedMinor)
  const inAll = shareOf(refundedMinor + disputedMinor)

  let { refund, dispute } = disputedMinor > 0 ? was : { ...was, dispute: 0 }
  const excess = Math.max(0, refund + dispute - inAll)
  const ofRefunds = Math.min(excess, Math.max(0, refund - forRefunds))
  refund -= ofRefunds
  dispute -= excess - ofRefunds
  refund += Math.min(Math.max(0, forRefunds - refund), inAll - refund - dispute)
  dispute = inAll - refund

  const steps: TakeBackStep[] = [
    {
      type: 'refund',
      asked: refund - was.refund,
      reason: refund < was.refund ? 'less was refunded' : 'order refunded'
    },
    {
      type: 'dispute',
      asked: dispute - was.dispute,
      reason: dispute > was.dispute ? 'order disputed' : disputedMinor > 0 ? 'less was disputed' : 'dispute won'
    }
  ]
  const less = steps.filter(({ asked }) => asked < 0)
  return [...less, ...steps.filter(({ asked }) => asked > 0)]
}

const askedOf = (before: (TakenBack & { type: TakeBackType })[], type: TakeBackType) =>
  before.reduce((sum, one) => (one.type === type ? sum + one.taken + one.shortfall : sum), 0)

/** What of earlier take-backs, oldest first, is undone when `less` is asked for: the last one first, of each first what it could not take. */
export function undoLast<T extends TakenBack>(
  before: T[],
  less: number
): { of: T; taken: number; shortfall: number }[] {
  let open = less
  return before.toReversed().flatMap((of) => {
    const shortfall = Math.min(of.shortfall, open)
    const taken = Math.min(of.taken, open - shortfall)
    open -= shortfall + taken
    return shortfall + taken > 0 ? [{ of, taken, shortfall }] : []
  })
}
