import { giveBackCredit, giveBackExcess, takeBackCredit } from '#credits'
import { type Ctx, int, intList, row, sql } from '#kit/postgres'
import { settleOrderPoints } from '#points'
import { type DisputeState, isLost } from './disputes.ts'
import type { OrderState } from './read-orders.ts'

/** How much of an order is refunded, and how much of it a dispute claims, in minor units. */
export type Reversed = { wholeMinor: number; refundedMinor: number; disputedMinor: number }

/**
 * What is refunded and disputed of an order in all. A chargeback counts while it is open, and when it is lost or accepted; an inquiry,
 * for which no money has gone yet, only when it is lost or accepted; what was won, prevented or refunded does not. A dispute of which the
 * amount is unknown or in another currency is about the whole order.
 */
export function reversedOf(order: Pick<OrderState, 'totalMinor' | 'currency' | 'refunds' | 'disputes'>): Reversed {
  const { totalMinor: wholeMinor, currency } = order
  const claimed = (dispute: DisputeState) =>
    dispute.amountMinor === null || dispute.currency !== currency ? wholeMinor : dispute.amountMinor
  return {
    wholeMinor,
    refundedMinor: order.refunds.reduce((sum, { minor }) => sum + minor, 0),
    disputedMinor: order.disputes.filter(isCounted).reduce((sum, dispute) => sum + claimed(dispute), 0)
  }
}

const ENDED_WELL = new Set(['won', 'prevented', 'charge_refunded'])
const isCounted = (dispute: DisputeState) =>
  isLost(dispute) || (dispute.type === 'chargeback' && !ENDED_WELL.has(dispute.status))

/**
 * Takes back, or gives back, the credit and points that these orders have issued, so that they are what the refunds and disputes known now
 * leave. It compares with what was taken, so that messages in any order, twice, or corrected later come to the same.
 */
export async function settleTakenBack(ctx: Ctx, orders: OrderState[]): Promise<void> {
  const reversed = orders.filter(({ refunds, disputes }) => refunds.length + disputes.length > 0)
  if (reversed.length === 0) return
  const byId = new Map(reversed.map((order) => [order.id, order]))
  for (const { orderId, members, owners, reversals, disputeMinor } of await listIssued(ctx, [...byId.keys()])) {
    const ownerOf = (memberId: number) => owners[members.indexOf(memberId)] ?? memberId
    await settleCredit(ctx, byId.get(orderId)!, { ownerOf, nth: reversals + 1, disputeMinor })
  }
  await settleOrderPoints(
    ctx,
    reversed.map((order) => {
      const { wholeMinor, refundedMinor, disputedMinor } = reversedOf(order)
      const reason = disputedMinor > 0 ? 'order disputed' : refundedMinor > 0 ? 'order refunded' : 'dispute won'
      return { orderId: order.id, partMinor: refundedMinor + disputedMinor, wholeMinor, reason }
    })
  )
}

const IssuedByOrder = row({
  orderId: int,
  /** To whom it issued credit, and who has that now, after merges of customers. */
  members: intList,
  owners: intList,
  /** How many entries reverse something of the order. */
  reversals: int,
  /** What disputes have taken and not given back. */
  disputeMinor: int
})

/** Those of the orders that have issued credit. */
function listIssued(ctx: Ctx, orderIds: number[]) {
  return ctx.tx.many(
    IssuedByOrder,
    sql`
    with entries as (
      select id, order_id, member_id, type, amount_minor, reverses_id from credit_entries
       where store_id = ${ctx.storeId} and order_id = any(${orderIds}::bigint[])),
    merged as (
      select m.id, coalesce(k.merged_into, m.merged_into, m.id) as owner
        from members m left join members k on k.store_id = ${ctx.storeId} and k.id = m.merged_into
       where m.store_id = ${ctx.storeId} and m.id in (select member_id from entries))
    select e.order_id, array_agg(e.member_id order by e.id) as members, array_agg(g.owner order by e.id) as owners,
           count(*) filter (where e.reverses_id is not null)::integer as reversals,
           coalesce(sum(-e.amount_minor) filter (where e.type = 13), 0)::bigint as dispute_minor
      from entries e join merged g on g.id = e.member_id
     group by e.order_id
    having bool_or(e.type in (1, 10, 11) and e.amount_minor > 0)
     order by e.order_id`
  )
}

type Taking = { ownerOf: (memberId: number) => number; nth: number; disputeMinor: number }

async function settleCredit(ctx: Ctx, order: OrderState, { ownerOf, nth, disputeMinor }: Taking): Promise<void> {
  const { wholeMinor, refundedMinor, disputedMinor } = reversedOf(order)
  const of = { orderId: order.id, ownerOf }
  const [refund, dispute] = [order.refunds.at(-1)?.id ?? '', order.disputes.at(-1)?.id ?? '']
  if (disputedMinor <= 0 && disputeMinor > 0) {
    await giveBackCredit(ctx, { ...of, type: 'dispute', reason: 'dispute won', cause: `won:${dispute}:${nth}` })
  }
  const all = { partMinor: refundedMinor + disputedMinor, wholeMinor }
  await giveBackExcess(ctx, { ...of, share: all, reason: 'less was refunded', cause: `corrected:${order.id}:${nth}` })
  if (refundedMinor > 0) {
    const share = { partMinor: refundedMinor, wholeMinor }
    await takeBackCredit(ctx, {
      ...of,
      type: 'refund',
      share,
      reason: 'order refunded',
      cause: `refund:${refund}:${nth}`
    })
  }
  if (disputedMinor > 0) {
    const cause = `dispute:${dispute}:${nth}`
    await takeBackCredit(ctx, { ...of, type: 'dispute', share: all, reason: 'order disputed', cause })
  }
}
