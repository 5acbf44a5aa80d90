import assert from 'node:assert/strict'
import { changeCredits, releaseReservation, reserveCredit } from '#credits'
import { type Ctx, instant, int, row, sql, text } from '#kit/postgres'
import type { aStoreWithEvents } from '../../test/recorded-events.ts'
import type { startServiceHere } from '../../test/service-here.ts'

type Service = Awaited<ReturnType<typeof startServiceHere>>
type Shop = Awaited<ReturnType<typeof aStoreWithEvents>>
/** Somebody who has just joined a membership that gives store credit. */
type Joined = { customerId: string; orderId: string; contractId: string; memberId: number; subscription: string }

const AMOUNT = { minor: 100, decimal: '1.00' }
/** On the last day of a month in UTC, which has ended by then in the shop's zone. */
const HOUR = 15

/**
 * Has happen, to people of their own and on the last day of a month of UTC, what a small store may not come upon. In the end the auditor
 * has no findings.
 */
export async function addRareThings(service: Service, shop: Shop): Promise<void> {
  await shop.advance({ to: (await nextEndOfMonth(service, shop)).toString() })
  const people = await joinGold(service, shop, 7)
  const [first, second, third, ...others] = people as [Joined, Joined, Joined, ...Joined[]]
  await giveBack(service, shop, { cancelled: first, inPart: second, inFull: third })
  await changeSubscriptions(service, shop, others as [Joined, Joined, Joined, Joined])
  await mergeCustomers(service, shop)
  await moveCredit(service, shop, { expires: first, waits: second })
  const { findings } = (await service.admin('POST', '/doctor', {})) as { findings: object[] }
  assert.deepEqual(findings, [])
}

async function nextEndOfMonth({ db }: Service, { storeId }: Shop): Promise<Temporal.Instant> {
  const { now } = await db.inStore(storeId, ({ tx }) =>
    tx.one(row({ now: instant }), sql`select clock_at as now from stores where store_id = ${storeId}`)
  )
  const tomorrow = now.toZonedDateTimeISO('UTC').add({ days: 1 })
  return tomorrow.with({ day: tomorrow.daysInMonth, hour: HOUR }).toInstant()
}

async function joinGold(service: Service, { storeId, settle }: Shop, count: number): Promise<Joined[]> {
  const { controls } = service.sandbox
  for (let i = 0; i < count; i++) {
    const { id: customerId } = await controls.createCustomer({ storeId, email: `rare-${i}@example.com`, country: 'US' })
    await controls.join({ storeId, customerId, plan: 'Gold' })
  }
  await settle()
  return service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ customerId: text, orderId: text, contractId: text, memberId: int, subscription: text }),
      sql`
      select m.platform_customer_id as customer_id, o.platform_order_id as order_id, s.platform_contract_id as contract_id,
             m.id as member_id, 'sub_' || s.id as subscription
        from members m
        join subscriptions s on s.store_id = ${storeId} and s.member_id = m.id
        join orders o on o.store_id = ${storeId} and o.id = s.origin_order_id
       where m.store_id = ${storeId} and m.email like 'rare-%' order by m.id`
    )
  )
}

/** An order that was paid with credit is cancelled, another one refunded in part; and what began a membership is refunded. */
async function giveBack(
  { sandbox: { controls } }: Service,
  { storeId, settle }: Shop,
  { cancelled, inPart, inFull }: Record<'cancelled' | 'inPart' | 'inFull', Joined>
): Promise<void> {
  const pay = ({ customerId }: Joined) =>
    controls.order({ storeId, customerId, total: AMOUNT.decimal, credit: AMOUNT.decimal, taxPercent: 10 })
  const [one, other] = [await pay(cancelled), await pay(inPart)]
  await settle()
  await controls.cancelOrder({ storeId, orderId: one.id, refund: 'all' })
  await controls.refund({ storeId, orderId: other.id, amount: '1.05' })
  await controls.refund({ storeId, orderId: inFull.orderId, amount: null })
  await settle()
}

/** One fails and one expires on the platform, one is paused, and somebody says in their own words why they cancel. */
async function changeSubscriptions(
  service: Service,
  { at, contract, settle }: Shop,
  [failing, expiring, paused, cancelled]: [Joined, Joined, Joined, Joined]
): Promise<void> {
  await contract(failing.contractId).move('Fail')
  await contract(expiring.contractId).move('Expire')
  await service.admin('POST', `${at}/subscriptions/${paused.subscription}/pause`, {})
  const body = { reason: 'other', comment: 'Moving, and "too much" coffee' }
  await service.admin('POST', `${at}/subscriptions/${cancelled.subscription}/cancel`, body)
  await settle()
}

/** Two customers, each with an order, become one. The platform merges nobody who has credit. */
async function mergeCustomers({ sandbox: { controls } }: Service, { storeId, settle }: Shop): Promise<void> {
  const ids: string[] = []
  for (const name of ['kept', 'merged']) {
    const { id } = await controls.createCustomer({ storeId, email: `${name}@example.com`, country: 'US' })
    await controls.order({ storeId, customerId: id, total: '12.34' })
    ids.push(id)
  }
  await settle()
  await controls.mergeCustomers({ storeId, customerId: ids[1]!, intoId: ids[0]! })
  await settle()
}

/** Some credit expires; of two who held some for a checkout, one gives it up, and one is not done yet. */
async function moveCredit(
  { db }: Service,
  { storeId, advance }: Shop,
  { expires, waits }: Record<'expires' | 'waits', Joined>
): Promise<void> {
  const inStore = <T>(work: (ctx: Ctx) => Promise<T>) => db.inStore(storeId, work)
  const { memberId } = expires
  const amountMinor = AMOUNT.minor
  const gift = { memberId, type: 'manual_add' as const, amountMinor, reason: 'A gift', operationId: 'for a day' }
  await inStore((ctx) => changeCredits(ctx, [{ ...gift, expiresAt: ctx.now.add({ hours: 24 }) }]))
  await advance({ by: 'P2D' })
  await inStore(async (ctx) => {
    const checkout = { amountMinor, reason: 'A checkout', expiresAt: ctx.now.add({ hours: 1 }) }
    const [held] = await reserveCredit(ctx, [
      { ...checkout, memberId, operationId: 'given up' },
      { ...checkout, memberId: waits.memberId, operationId: 'under way' }
    ])
    await releaseReservation(ctx, memberId, held!.reservation!.id)
  })
}
