import assert from 'node:assert/strict'
import { changeCredits, releaseReservation, reserveCredit } from '#credits'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import type { aStoreWithEvents } from '../../test/recorded-events.ts'
import type { startServiceHere } from '../../test/service-here.ts'
import { platformCredit } from '../simulated-people.ts'

type Service = Awaited<ReturnType<typeof startServiceHere>>
type Shop = Awaited<ReturnType<typeof aStoreWithEvents>>

const MINOR = 100
const AMOUNT = '1.00'
const TOO_SMALL = 'this store is too small: run it with more people'

/** Has happen what a small store may not have come upon, or not at its end. In the end the auditor has no findings. */
export async function addRareThings(service: Service, shop: Shop): Promise<void> {
  await giveCreditBack(service, shop)
  await endSubscriptions(service, shop)
  await mergeCustomers(service, shop)
  await moveCredit(service, shop)
  const { findings } = (await service.admin('POST', '/doctor', {})) as { findings: object[] }
  assert.deepEqual(findings, [])
}

/** Of two orders that were paid with credit, one is cancelled, with all of its credit given back, and one is refunded in part. */
async function giveCreditBack(service: Service, { storeId, settle }: Shop): Promise<void> {
  const { controls } = service.sandbox
  const payers = [...(await platformCredit(service, storeId))].filter(([, minor]) => minor >= MINOR).map(([id]) => id)
  assert.ok(payers.length >= 2, TOO_SMALL)
  const paid = { storeId, total: AMOUNT, credit: AMOUNT }
  const cancelled = await controls.order({ ...paid, customerId: payers[0]! })
  const refunded = await controls.order({ ...paid, customerId: payers[1]! })
  await settle()
  await controls.cancelOrder({ storeId, orderId: cancelled.id, refund: 'all' })
  await controls.refund({ storeId, orderId: refunded.id, amount: '0.40' })
}

/** One fails and one expires on the platform, and somebody says in their own words why they cancel. */
async function endSubscriptions(service: Service, { storeId, at, contract, settle }: Shop): Promise<void> {
  const [failing, expiring, cancelled] = await service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ id: int, contractId: text }),
      sql`
      select id, platform_contract_id as contract_id from subscriptions
       where store_id = ${storeId} and status = 'active' order by id limit 3`
    )
  )
  assert.ok(failing && expiring && cancelled, TOO_SMALL)
  await contract(failing.contractId).move('Fail')
  await contract(expiring.contractId).move('Expire')
  const body = { reason: 'other', comment: 'Moving, and "too much" coffee' }
  await service.admin('POST', `${at}/subscriptions/sub_${cancelled.id}/cancel`, body)
  await settle()
}

/** Two customers, each with an order, become one. The platform merges nobody who has credit. */
async function mergeCustomers(service: Service, { storeId, settle }: Shop): Promise<void> {
  const { controls } = service.sandbox
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
async function moveCredit({ db }: Service, { storeId, advance }: Shop): Promise<void> {
  const inStore = <T>(work: (ctx: Ctx) => Promise<T>) => db.inStore(storeId, work)
  const rich = await inStore(({ tx }) =>
    tx.many(
      row({ memberId: int }),
      sql`
      select member_id from credit_accounts
       where store_id = ${storeId} and balance_minor - reserved_minor >= ${MINOR} order by member_id limit 2`
    )
  )
  const [first, second] = rich
  assert.ok(first && second, TOO_SMALL)
  const { memberId } = first
  const gift = { memberId, type: 'manual_add' as const, amountMinor: MINOR, reason: 'A gift', operationId: 'for a day' }
  await inStore((ctx) => changeCredits(ctx, [{ ...gift, expiresAt: ctx.now.add({ hours: 24 }) }]))
  await advance({ by: 'P2D' })
  await inStore(async (ctx) => {
    const expiresAt = ctx.now.add({ hours: 1 })
    const checkout = { amountMinor: MINOR, reason: 'A checkout', expiresAt }
    const [held] = await reserveCredit(ctx, [
      { ...checkout, memberId, operationId: 'given up' },
      { ...checkout, memberId: second.memberId, operationId: 'under way' }
    ])
    await releaseReservation(ctx, memberId, held!.reservation!.id)
  })
}
