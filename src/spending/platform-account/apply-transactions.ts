import { type CreditChange, changeCredits, restoreCredit } from '#credits'
import type { Ctx } from '#kit/postgres'
import { operationOf } from './account-operations.ts'
import { type JudgedTransaction, listRedemptions, listSpentOnOrders } from './transaction-queries.ts'

/**
 * Does in the ledger what transactions of the platform's accounts have done there, each once: what was spent is a redemption, what was
 * given back restores one, and what somebody else changed is an entry of type `reconciled` with the mark `drift`. `judged` is in the
 * order of each customer's transactions, and they are applied in it: what comes back can be spent again.
 */
export async function applyTransactions(ctx: Ctx, judged: JudgedTransaction[]): Promise<void> {
  const queues = [
    ...Map.groupBy(
      judged.filter(({ kind }) => kind !== 'ours'),
      ({ memberId }) => memberId
    ).values()
  ]
  while (queues.some((queue) => queue.length > 0)) {
    const changes = queues.flatMap((queue) => takeWhile(queue, isChange))
    if (changes.length > 0) await changeCredits(ctx, changes.map(changeOf))
    const returns = queues.flatMap((queue) => takeWhile(queue, (one) => !isChange(one)))
    if (returns.length > 0) await giveBack(ctx, returns)
  }
}

const isChange = ({ kind, orderId }: JudgedTransaction) => kind !== 'returned' || orderId === null

function takeWhile<T>(queue: T[], is: (one: T) => boolean): T[] {
  const end = queue.findIndex((one) => !is(one))
  return queue.splice(0, end < 0 ? queue.length : end)
}

/** The order that has used it is placed, so nothing is refused: what the ledger does not have is the shortfall of the entry. */
function changeOf({ memberId, kind, orderId, transaction }: JudgedTransaction): CreditChange {
  const { key, amountMinor } = transaction
  const common = { memberId, amountMinor, orderId, operationId: operationOf(key), isCapped: amountMinor < 0 }
  if (kind === 'spent') return { ...common, type: 'redemption', reason: 'redeemed on an order' }
  if (kind === 'expired') return { ...common, type: 'expired', reason: 'expired on the platform' }
  const what = key.startsWith('gift-') ? 'The gift card' : 'The account'
  const reason = `${what} on the platform was changed there`
  return { ...common, type: 'reconciled', mark: 'drift', reason }
}

/**
 * Restores the redemptions that the platform's accounts have made on the order, the newest first. What the order took of credit that the
 * ledger did not have is restored by nothing: it is taken from the account again. What an order gives back beyond what it took from
 * accounts is a change: somebody refunds in credit what was paid otherwise.
 */
async function giveBack(ctx: Ctx, returns: JudgedTransaction[]): Promise<void> {
  const orderIds = [...new Set(returns.map(({ orderId }) => orderId!))]
  const redemptions = Map.groupBy(await listRedemptions(ctx, orderIds), ({ orderId }) => orderId)
  const keys = returns.map(({ transaction }) => transaction.key)
  const spent = new Map((await listSpentOnOrders(ctx, orderIds, keys)).map((one) => [one.orderId, one]))
  const divided = returns.map((returned) => {
    const { orderId, transaction } = returned
    const ofOrder = spent.get(orderId!)
    const takenMinor = Math.min(transaction.amountMinor, Math.max(0, ofOrder?.leftMinor ?? 0))
    if (ofOrder) ofOrder.leftMinor -= transaction.amountMinor
    return { returned, takenMinor, beyondMinor: transaction.amountMinor - takenMinor }
  })
  await changeCredits(
    ctx,
    divided
      .filter(({ beyondMinor }) => beyondMinor > 0)
      .map(({ returned, takenMinor, beyondMinor }) => {
        const change = changeOf({ ...returned, kind: 'changed' })
        if (takenMinor === 0) return change
        return { ...change, amountMinor: beyondMinor, operationId: `${change.operationId}:beyond` }
      })
  )
  await restoreCredit(
    ctx,
    divided.flatMap(({ returned: { memberId, orderId, transaction }, takenMinor }) => {
      const { key, event } = transaction
      const isOrderCancelled = event === 'order_cancellation'
      let open = takenMinor
      return (redemptions.get(orderId!) ?? []).flatMap((redemption, i) => {
        const amountMinor = Math.min(open, redemption.leftMinor)
        if (amountMinor <= 0) return []
        open -= amountMinor
        redemption.leftMinor -= amountMinor
        return {
          entryId: redemption.id,
          memberId,
          amountMinor,
          type: 'redemption_restored' as const,
          reason: isOrderCancelled ? 'the order was cancelled' : 'given back by a refund',
          operationId: i === 0 ? operationOf(key) : `${operationOf(key)}:${redemption.id}`,
          mark: isOrderCancelled ? ('order_cancelled' as const) : null
        }
      })
    })
  )
}
