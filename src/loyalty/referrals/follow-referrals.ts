import type { Ctx } from '#kit/postgres'
import type { OrderCause } from '../causes/cause.ts'
import { countDeeds } from '../earning/count-deeds.ts'
import type { Deed } from '../earning/deed.ts'
import { askForReferrals } from '../referral-codes/program-queries.ts'
import { rewardFriends } from './friend-rewards.ts'
import type { RefusedReferral } from './referral.ts'
import {
  type CodedOrder,
  type DecidedReferral,
  listCodedOrders,
  listFriends,
  referralKey,
  writeReferrals
} from './referral-queries.ts'
import { isSameMailbox } from './self-referral.ts'

const MS_OF_DAY = 86_400_000

/**
 * Decides which of these orders are of friends whom customers have brought, and counts that. Orders may be reported in any order, and any number of
 * times: a referral is the first order of a friend, whichever is known to be that now, orders from before the store was connected among them. `causes`:
 * of those that may count. The referrers are locked already.
 */
export async function followReferrals(
  ctx: Ctx,
  orderIds: number[],
  causes: ReadonlyMap<number, OrderCause>
): Promise<void> {
  await decideReferrals(ctx, await listFriends(ctx, orderIds), causes)
}

/** Decides anew which orders of these customers are referrals. `causes`: of the orders that are reported now, what they are. */
export async function decideReferrals(
  ctx: Ctx,
  friendIds: number[],
  causes: ReadonlyMap<number, OrderCause> = new Map()
): Promise<void> {
  if (friendIds.length === 0) return
  const orders = await listCodedOrders(ctx, friendIds)
  // What nobody has reported yet is decided when it is.
  const reported = orders.filter(({ orderId, state }) => state !== null || causes.has(orderId))
  const moved = reported.flatMap((one) => {
    const { knownFriendId } = one
    return knownFriendId === null || knownFriendId === one.friendId ? [] : endOf(one, knownFriendId)
  })
  const known = reported.map((one) =>
    one.knownFriendId === one.friendId ? one : { ...one, state: null, reason: null }
  )
  const decided = known.map((order) => decide(ctx, order, causes.get(order.orderId)))
  await writeReferrals(
    ctx,
    decided.filter((one, i) => isOther(one, known[i]!))
  )
  if (decided.some(({ state }) => state === 'checking')) await askForReferrals(ctx)
  const isToCount = ({ state, orderId }: DecidedReferral) =>
    state === 'refused' || (state === 'valid' && causes.has(orderId))
  // What is over for one friend comes last: nobody has been rewarded for the order since.
  const counting = [...decided.filter(isToCount), ...moved]
  await countDeeds(
    ctx,
    counting.map((one) => deedOf(one, causes.get(one.orderId)))
  )
  await rewardFriends(ctx, counting)
}

/** The platform has given the order to another customer. */
const endOf = (order: CodedOrder, friendId: number): DecidedReferral => ({
  ...order,
  friendId,
  state: 'refused',
  reason: 'not_new'
})

function decide(ctx: Ctx, order: CodedOrder, cause: OrderCause | undefined): DecidedReferral {
  const reason = reasonOf(order)
  // One that was paid when it was first seen was paid when it was placed, as far as anybody knows.
  const paidAt = order.paidAt ?? (cause?.isPaid ? (order.state === null ? order.orderedAt : ctx.now) : null)
  const state = reason !== null ? 'refused' : order.state === 'valid' ? 'valid' : 'checking'
  return { ...order, paidAt, state, reason }
}

/** Why an order is no referral. What was found out about two people stays so: they may have changed their addresses since. */
function reasonOf(order: CodedOrder): RefusedReferral | null {
  if (order.friendId === order.referrerId) return 'same_customer'
  if (order.orderId !== order.firstOrderId) return 'not_new'
  if (order.state === 'valid') return null
  if (order.reason === 'same_email' || order.reason === 'same_address') return order.reason
  if (order.isReferrerGone) return 'referrer_gone'
  return isSameMailbox(order.friendEmail, order.referrerEmail) ? 'same_email' : null
}

const isOther = (one: DecidedReferral, before: CodedOrder): boolean =>
  one.state !== before.state || one.reason !== before.reason || String(one.paidAt) !== String(before.paidAt)

/** Rules count it as it is now; one that is refused counts nothing. */
function deedOf(
  { orderId, referrerId, orderedAt, paidAt, state }: DecidedReferral,
  order: OrderCause | undefined
): Deed {
  const waitedMs = paidAt === null ? 0 : paidAt.epochMilliseconds - orderedAt.epochMilliseconds
  return {
    memberId: referrerId,
    cause: {
      kind: 'referral',
      order: state === 'valid' ? order! : null,
      paidAfterDays: Math.max(0, Math.ceil(waitedMs / MS_OF_DAY))
    },
    key: referralKey(orderId),
    at: orderedAt,
    orderId: null,
    ruleId: null
  }
}
