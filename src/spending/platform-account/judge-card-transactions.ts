import type { PlatformCreditTransaction } from '#platform'
import { referenceIn } from './gift-card-codes.ts'
import type { CardPayment } from './gift-card-queries.ts'
import { isLate, type Judged } from './judge-transactions.ts'

/** The key of what a card was made with, which is no transaction of it. */
export const openingOf = (platformCardId: string): string => `opening-${platformCardId}`

/** A push of a card. */
export type CardPush = { id: number; reference: string | null; amountMinor: number; isMaking: boolean }

export type JudgedOfCard = Judged & { orderId: number | null; orderTransactionId: number | null }

/**
 * Says what the transactions of a gift card were that nobody here knows yet, oldest first. Ours have our note. A transaction names no
 * order, so what an order reports of the card is looked for by its amount, each once. What is neither is judged only if it is from
 * `lateBefore` or earlier: its order may not be known yet. Returns those before the first one that waits, and that one.
 */
export function judgeCardTransactions(
  fresh: PlatformCreditTransaction[],
  { pushes, payments, lateBefore }: { pushes: CardPush[]; payments: CardPayment[]; lateBefore: Temporal.Instant | null }
): { judged: JudgedOfCard[]; waiting: PlatformCreditTransaction | null } {
  const open = [...payments]
  const judged: JudgedOfCard[] = []
  for (const transaction of fresh) {
    const of = { transaction, pushId: null, orderId: null, orderTransactionId: null }
    const isOpening = transaction.key.startsWith('opening-')
    const reference = referenceIn(transaction.note)
    if (isOpening || reference !== null) {
      const push = isOpening
        ? pushes.find(({ isMaking }) => isMaking)
        : pushes.find((one) => one.reference === reference)
      judged.push({ ...of, kind: 'ours', pushId: push?.id ?? null })
      continue
    }
    const { amountMinor } = transaction
    const i = open.findIndex((one) => one.isRefund === amountMinor > 0 && one.amountMinor === Math.abs(amountMinor))
    const [payment] = i < 0 ? [] : open.splice(i, 1)
    if (payment) {
      const { orderId, id: orderTransactionId, isOrderCancelled } = payment
      const event = isOrderCancelled ? 'order_cancellation' : transaction.event
      const kind = amountMinor < 0 ? 'spent' : 'returned'
      judged.push({ ...of, transaction: { ...transaction, event }, kind, orderId, orderTransactionId })
    } else if (isLate(transaction, lateBefore)) judged.push({ ...of, kind: 'changed' })
    else return { judged, waiting: transaction }
  }
  return { judged, waiting: null }
}
