import type { PlatformCreditTransaction } from '#platform'

/** A credit or debit that we have sent. */
export type Push = { id: number; amountMinor: number; sentAt: Temporal.Instant }

/**
 * What a transaction of the platform's account was. `ours`: it is what a push came to. `spent` and `returned`: on an order. `changed`:
 * somebody else adjusted the account. `expired`: the platform took credit whose date had passed.
 */
export type TransactionKind = 'ours' | 'spent' | 'returned' | 'changed' | 'expired'
export type Judged = { transaction: PlatformCreditTransaction; kind: TransactionKind; pushId: number | null }

/** The platform's clock may be behind ours by so much. */
const SKEW = { minutes: 5 }
/** A call that had not arrived when it was given up may still do so for as long. */
const LATE = { hours: 24 }

/**
 * Says what the transactions were that nobody here knows yet, oldest first. An adjustment of the amount of the open push is that push;
 * so is one of a push that was given up within the last day, and arrived after all. `isRestored`: the store was restored from a
 * backup, and what was adjusted since then was us; the ledger decides what is right.
 */
export function judgeTransactions(
  fresh: PlatformCreditTransaction[],
  { open, unseen, isRestored }: { open: Push | null; unseen: Push[]; isRestored: boolean }
): Judged[] {
  const candidates = open ? [open, ...unseen] : [...unseen]
  return fresh.map((transaction) => {
    const { event, amountMinor, isExpiry } = transaction
    if (isExpiry) return { transaction, kind: 'expired', pushId: null }
    if (event === 'adjustment') {
      const i = candidates.findIndex((push) => isOf(push, transaction))
      if (i < 0) return { transaction, kind: isRestored ? 'ours' : 'changed', pushId: null }
      const [push] = candidates.splice(i, 1)
      return { transaction, kind: 'ours', pushId: push!.id }
    }
    // What an order takes and gives back; an event that we do not know without an order is somebody's change.
    if (transaction.orderId === null && !event.startsWith('order_')) {
      return { transaction, kind: 'changed', pushId: null }
    }
    return { transaction, kind: amountMinor < 0 ? 'spent' : 'returned', pushId: null }
  })
}

/** Whether no order is waited for any more that may have made the transaction; `lateBefore` null: of none. */
export const isLate = ({ createdAt }: PlatformCreditTransaction, lateBefore: Temporal.Instant | null): boolean =>
  lateBefore !== null && Temporal.Instant.compare(createdAt, lateBefore) <= 0

function isOf(push: Push, { amountMinor, createdAt }: PlatformCreditTransaction): boolean {
  if (push.amountMinor !== amountMinor) return false
  const since = Temporal.Instant.compare(createdAt, push.sentAt.subtract(SKEW))
  return since >= 0 && Temporal.Instant.compare(createdAt, push.sentAt.add(LATE)) <= 0
}
