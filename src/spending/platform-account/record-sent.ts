import type { Ctx } from '#kit/postgres'
import type { PlatformCreditMove, PlatformFailure } from '#platform'
import { dueAgain, endOfFailure, endOfTry, settled } from './account-ends.ts'
import { type AccountEnd, endAccounts, type LockedAccount } from './account-queries.ts'
import { listGiftCards, markGiftCardsMade, markGiftCardsSent } from './gift-card-queries.ts'
import { endPushes } from './push-queries.ts'
import type { Push, Sent } from './send-changes.ts'
import { type JudgedTransaction, listKnownTransactions, recordTransactions } from './transaction-queries.ts'

type Arrived = { change: Push; move: PlatformCreditMove }

/** Records what changes came to that were sent. */
export async function recordSent(ctx: Ctx, sent: Sent[], locked: Map<number, LockedAccount>): Promise<void> {
  const mine = sent.filter(({ change }) => locked.has(change.account.memberId))
  const pushes = mine.filter((one) => one.step === 'push')
  const arrived = pushes.flatMap(({ change, moved }) =>
    moved.ok && 'key' in moved.value ? [{ change, move: moved.value }] : []
  )
  const made = pushes.flatMap(({ change, moved }) =>
    moved.ok && 'cardMade' in moved.value ? [{ change, platformId: moved.value.cardMade }] : []
  )
  const ends = [...(await recordArrived(ctx, arrived, locked)), ...made.map(({ change }) => again(change))]
  await markGiftCardsMade(
    ctx,
    made.map(({ change, platformId }) => ({ cardId: change.card!.id, platformId }))
  )
  const failures = pushes.flatMap(({ change, moved }) => (moved.ok ? [] : [{ change, failure: moved.failure }]))
  await endPushes(
    ctx,
    [...arrived, ...made].map(({ change }) => change.pushId),
    'done'
  )
  // A code that is taken is that of the card itself: an earlier call has made it after all.
  const isMade = ({ change, failure }: (typeof failures)[number]) => isTaken(change, failure)
  await endPushes(
    ctx,
    failures.filter(isMade).map(({ change }) => change.pushId),
    'unseen'
  )
  await endPushes(
    ctx,
    failures.filter((one) => !one.failure.outcomeUnknown && !isMade(one)).map(({ change }) => change.pushId),
    'refused'
  )
  await endAccounts(ctx, [...ends, ...failures.map(endOfRefusal), ...(await recordRequests(ctx, mine))])
}

const again = ({ account, version }: { account: Push['account']; version: number }) => dueAgain(account, version)

async function recordArrived(ctx: Ctx, arrived: Arrived[], locked: Map<number, LockedAccount>): Promise<AccountEnd[]> {
  const known = await listKnownTransactions(
    ctx,
    arrived.map(({ move }) => move.key)
  )
  const members = arrived.map(({ change }) => change.account.memberId)
  const cards = new Map((await listGiftCards(ctx, members)).map((card) => [card.id, card]))
  const fresh = arrived.filter(({ move }) => !known.has(move.key))
  const before = ({ account: { memberId }, card }: Push) =>
    card === null ? locked.get(memberId)!.mirroredMinor : cards.get(card.id)?.mirroredMinor
  const isAlone = ({ change, move }: Arrived) => move.balanceAfterMinor === (before(change) ?? 0) + change.amountMinor
  await recordTransactions(
    ctx,
    fresh.map(({ change, move }): JudgedTransaction => {
      const { amountMinor, pushId, account, card } = change
      const common = { event: 'adjustment', isExpiry: false, orderId: null, orderTransactionId: null }
      const transaction = { ...common, key: move.key, amountMinor, createdAt: ctx.now }
      const of = { memberId: account.memberId, orderId: null, giftCardId: card?.id ?? null, orderTransactionId: null }
      return { transaction, kind: 'ours', pushId, ...of }
    }),
    fresh.map((one) => ({
      memberId: one.change.account.memberId,
      giftCardId: one.change.card?.id ?? null,
      accountId: one.move.accountId,
      addedMinor: one.change.amountMinor,
      // What others did in between is not known yet and comes before it.
      lastKey: isAlone(one) ? one.move.key : null
    }))
  )
  return arrived.map((one) => {
    const { account, version, isLast } = one.change
    return isLast && isAlone(one) ? settled(account, version) : { ...settled(account, version), restMs: 0 }
  })
}

function endOfRefusal({ change, failure }: { change: Push; failure: PlatformFailure }): AccountEnd {
  const { account, version, card } = change
  // Whether it has arrived is read at once: it may be found.
  if (failure.outcomeUnknown) return dueAgain(account, version)
  // Somebody has spent it just now; or the card was just deactivated, which is read.
  const isOfNow = failure.code === 'insufficient_funds' || (card?.platformId && failure.code === 'invalid')
  if (isOfNow || isTaken(change, failure)) return endOfTry(account, version, failure.message)
  return endOfFailure(account, version, failure)
}

/** The platform has no code for it, only words. */
const isTaken = ({ card }: Push, { kind, code, message }: PlatformFailure): boolean =>
  card !== null && card.platformId === null && kind === 'rejected' && (code === 'taken' || /taken/i.test(message))

/** Cards that were deactivated are read again; that a customer could not be notified is no problem of the credit. */
async function recordRequests(ctx: Ctx, sent: Sent[]): Promise<AccountEnd[]> {
  const requests = sent.filter((one) => one.step === 'asked')
  await markGiftCardsSent(
    ctx,
    requests.filter(isUnsent).map(({ change }) => change.cardId),
    null
  )
  return requests.map((request) => {
    const { change, done } = request
    const { what, account, version } = change
    if (!done.ok && (what === 'close' || isUnsent(request))) return endOfFailure(account, version, done.failure)
    return what === 'notify' ? settled(account, version) : dueAgain(account, version)
  })
}

/** A notification that the platform has neither sent nor refused. */
const isUnsent = ({ change, done }: Extract<Sent, { step: 'asked' }>): boolean =>
  change.what === 'notify' && !done.ok && done.failure.kind !== 'rejected' && !done.failure.outcomeUnknown
