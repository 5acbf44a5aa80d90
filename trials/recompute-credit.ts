// What the platform's own records of a sandbox shop say about credit, and what the ledger says.
import assert from 'node:assert/strict'
import { int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import type { startServiceHere } from '../test/service-here.ts'
import { type Memberships, TRIAL_MINOR } from './recompute-orders.ts'
import type { Person } from './simulated-people.ts'

type Service = Awaited<ReturnType<typeof startServiceHere>>

const ShopOrder = row({
  id: text,
  totalMinor: int,
  refundedMinor: int,
  disputeType: nullable(text),
  disputeStatus: nullable(text),
  disputedMinor: int,
  /** The plan of the membership that it began or renewed. */
  plan: nullable(text),
  spentMinor: int,
  returnedMinor: int
})
type ShopOrder = RowOf<typeof ShopOrder>
const Booked = row({
  orderId: text,
  issuedMinor: int,
  takenMinor: int,
  takenShortMinor: int,
  redeemedMinor: int,
  redeemedShortMinor: int,
  restoredMinor: int
})
type Booked = RowOf<typeof Booked>

const NOTHING = {
  issuedMinor: 0,
  takenMinor: 0,
  takenShortMinor: 0,
  redeemedMinor: 0,
  redeemedShortMinor: 0,
  restoredMinor: 0
}

/**
 * Compares what each order has issued, spent, restored and lost again with the platform's records, and the platform's accounts of credit
 * with what can be spent. Nobody changes these by hand here, so no entry may say that somebody did. Returns how many entries there are,
 * by their type.
 */
export async function compareCredit(
  service: Service,
  storeId: number,
  { memberships, people }: { memberships: Memberships; people: Person[] }
): Promise<Record<string, number>> {
  const orders = await readOrders(service, storeId, Object.keys(memberships))
  const booked = new Map((await readBooked(service, storeId)).map((one) => [one.orderId, one]))
  for (const order of orders) {
    const { issuedMinor, ...entries } = booked.get(order.id) ?? NOTHING
    // The trial of a membership is no paid cycle.
    const cycleMinor =
      order.plan === null || order.totalMinor === TRIAL_MINOR ? 0 : memberships[order.plan]!.creditMinor
    assert.equal(issuedMinor, cycleMinor, `credit that order ${order.id} has issued`)
    assert.equal(takenProblem(order, issuedMinor, entries), null, `credit of order ${order.id}`)
    assert.equal(spentProblem(order, entries), null, `credit spent on order ${order.id}`)
  }

  const accounts = new Map((await readAccounts(service, storeId)).map(({ id, ...account }) => [id, account]))
  for (const { id, plan } of people) {
    const { platformMinor, availableMinor } = accounts.get(id) ?? { platformMinor: 0, availableMinor: 0 }
    assert.equal(platformMinor, plan === 'Elite' ? 0 : availableMinor, `credit of customer ${id} at the platform`)
  }

  const counts = await service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ type: int, entries: int }),
      sql`select type, count(*) as entries from credit_entries where store_id = ${storeId} group by type order by type`
    )
  )
  const byType = Object.fromEntries(counts.map(({ type, entries }) => [type, entries]))
  assert.equal(byType[RECONCILED] ?? 0, 0, 'changes of credit by hand')
  return byType
}

const RECONCILED = 9

/** The part of the issued credit that was refunded or disputed is taken back, as far as it was there: with what was short, all of it. */
function takenProblem(
  order: ShopOrder,
  issuedMinor: number,
  { takenMinor, takenShortMinor }: Omit<Booked, 'orderId' | 'issuedMinor'>
) {
  const { totalMinor, refundedMinor, disputeType, disputeStatus, disputedMinor } = order
  const isLost = ['LOST', 'ACCEPTED'].includes(disputeStatus ?? '')
  const isOpen = ['NEEDS_RESPONSE', 'UNDER_REVIEW'].includes(disputeStatus ?? '')
  const gone = refundedMinor + (isLost || (isOpen && disputeType === 'CHARGEBACK') ? disputedMinor : 0)
  const owed = Math.floor((issuedMinor * Math.min(gone, totalMinor)) / totalMinor)
  const isRight = takenShortMinor >= 0 && takenMinor + takenShortMinor === owed
  return isRight ? null : `${takenMinor} taken of ${owed}, ${takenShortMinor} short`
}

/** What the platform's account has paid is redeemed, as far as the ledger had it, and restored as far as it came back. */
function spentProblem(
  { spentMinor, returnedMinor }: ShopOrder,
  { redeemedMinor, redeemedShortMinor, restoredMinor }: Omit<Booked, 'orderId' | 'issuedMinor'>
) {
  const isRight =
    redeemedMinor + redeemedShortMinor === spentMinor && restoredMinor === Math.min(returnedMinor, redeemedMinor)
  return isRight
    ? null
    : `${redeemedMinor} and ${redeemedShortMinor} short of ${spentMinor}, ${restoredMinor} restored of ${returnedMinor}`
}

function readOrders(service: Service, storeId: number, plans: string[]): Promise<ShopOrder[]> {
  return service.sandboxDb.inInstallation((tx) =>
    tx.many(
      ShopOrder,
      sql`
      select o.id::text as id, o.total_minor, o.refunded_minor, d.type as dispute_type, d.status as dispute_status,
             coalesce(d.amount_minor, 0) as disputed_minor,
             greatest(begun.plan, own.plan) as plan,
             coalesce(t.spent, 0) as spent_minor, coalesce(t.returned, 0) as returned_minor
        from sandbox.orders o
        left join (select origin_order_id, max(lines -> 0 ->> 'title') as plan from sandbox.contracts
                    where store_id = ${storeId} and lines -> 0 ->> 'title' = any(${plans})
                    group by origin_order_id) begun on begun.origin_order_id = o.id
        left join (select id, lines -> 0 ->> 'title' as plan from sandbox.contracts
                    where store_id = ${storeId} and lines -> 0 ->> 'title' = any(${plans})) own on own.id = o.contract_id
        left join sandbox.disputes d on d.store_id = ${storeId} and d.order_id = o.id
        left join (
          select order_id, (sum(amount_minor) filter (where kind = 'SALE'))::bigint as spent,
                 (sum(amount_minor) filter (where kind = 'REFUND'))::bigint as returned
            from sandbox.transactions where store_id = ${storeId} and paid_from is not null group by order_id) t on t.order_id = o.id
       where o.store_id = ${storeId} order by o.id`
    )
  )
}

function readBooked(service: Service, storeId: number): Promise<Booked[]> {
  return service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      Booked,
      sql`
      select o.platform_order_id as order_id, coalesce(sum(e.amount_minor) filter (where e.type = 1), 0)::bigint as issued_minor,
             coalesce(-sum(e.amount_minor) filter (where e.type in (6, 13)), 0)::bigint as taken_minor,
             coalesce(sum(e.shortfall_minor) filter (where e.type in (6, 13)), 0)::bigint as taken_short_minor,
             coalesce(-sum(e.amount_minor) filter (where e.type = 4), 0)::bigint as redeemed_minor,
             coalesce(sum(e.shortfall_minor) filter (where e.type = 4), 0)::bigint as redeemed_short_minor,
             coalesce(sum(e.amount_minor) filter (where e.type = 5), 0)::bigint as restored_minor
        from credit_entries e join orders o on o.store_id = ${storeId} and o.id = e.order_id
       where e.store_id = ${storeId} group by o.platform_order_id`
    )
  )
}

/** What each customer has at the platform, and what the lots have that nothing holds. */
function readAccounts(service: Service, storeId: number) {
  return service.db.inInstallation((tx) =>
    tx.many(
      row({ id: text, platformMinor: int, availableMinor: int }),
      sql`
      select m.platform_customer_id as id,
             coalesce(there.balance_minor, 0) as platform_minor,
             coalesce(a.balance_minor - a.reserved_minor, 0) as available_minor
        from members m left join credit_accounts a on a.store_id = ${storeId} and a.member_id = m.id
        left join (select customer_id::text as id, balance_minor from sandbox.credit_accounts
                    where store_id = ${storeId}) there on there.id = m.platform_customer_id
       where m.store_id = ${storeId}`
    )
  )
}
