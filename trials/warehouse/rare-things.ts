import assert from 'node:assert/strict'
import { changeCredits, releaseReservation, reserveCredit } from '#credits'
import { type Ctx, int, row, sql } from '#kit/postgres'
import type { startServiceHere } from '../../test/service-here.ts'
import { platformCredit } from '../simulated-people.ts'

type Service = Awaited<ReturnType<typeof startServiceHere>>
type Shop = { storeId: number; advance(by: { by: string }): Promise<unknown>; settle(): Promise<unknown> }

const MINOR = 100
const AMOUNT = '1.00'

/**
 * Has happen what a small store may not have come upon: of two orders that were paid with credit one is cancelled, with its credit given
 * back, and one is refunded in part; credit expires; and of two that held credit for a checkout one gives it up and one is not done yet.
 */
export async function addRareThings(service: Service, shop: Shop): Promise<void> {
  const { storeId } = shop
  const { controls } = service.sandbox
  const inStore = <T>(work: (ctx: Ctx) => Promise<T>) => service.db.inStore(storeId, work)
  const payers = [...(await platformCredit(service, storeId))].filter(([, minor]) => minor >= MINOR).map(([id]) => id)
  assert.ok(payers.length >= 2, 'this store is too small: nobody has credit')
  const orders = await Promise.all(
    payers
      .slice(0, 2)
      .map((customerId) => controls.order({ storeId, customerId, total: AMOUNT, credit: AMOUNT, taxPercent: 0 }))
  )
  await shop.settle()
  await controls.cancelOrder({ storeId, orderId: orders[0]!.id, refund: 'all' })
  await controls.refund({ storeId, orderId: orders[1]!.id, amount: '0.40' })
  const memberIds = await inStore(async (ctx) => {
    const rich = await ctx.tx.many(
      row({ memberId: int }),
      sql`
      select member_id from credit_accounts
       where store_id = ${storeId} and balance_minor - reserved_minor >= ${MINOR} order by member_id limit 2`
    )
    assert.equal(rich.length, 2, 'this store is too small: nobody has credit')
    const add = { type: 'manual_add' as const, amountMinor: MINOR, reason: 'For a day' }
    const expiresAt = ctx.now.add({ hours: 24 })
    const memberId = rich[0]!.memberId
    await changeCredits(ctx, [{ ...add, memberId, operationId: 'rare:expires', expiresAt }])
    return rich.map((account) => account.memberId)
  })
  await shop.advance({ by: 'P2D' })
  await inStore(async (ctx) => {
    const expiresAt = ctx.now.add({ hours: 1 })
    const held = memberIds.map((memberId) => ({
      memberId,
      amountMinor: MINOR,
      reason: 'A checkout',
      operationId: `rare:${memberId}`,
      expiresAt
    }))
    const [first] = await reserveCredit(ctx, held)
    await releaseReservation(ctx, memberIds[0]!, first!.reservation!.id)
  })
  const { findings } = (await service.admin('POST', '/doctor', {})) as { findings: object[] }
  assert.deepEqual(findings, [])
}
