import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql } from '#kit/postgres'
import { giftSubscription } from '#lifecycle'
import { testDatabase } from '../../../test/database.ts'
import { aSubscriptionLife } from '../../../test/subscription-life.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'

async function aGift() {
  const life = await aSubscriptionLife(db, { plan: { name: 'Gold', creditMinor: 500 } })
  const receiver = await life.anotherCustomer()
  await life.inStore((ctx) => giftSubscription(ctx, life.id, receiver, 'api'))
  await life.goTo(SECOND)
  await life.bill()
  const credited = () =>
    life.inStore(({ tx, storeId }) =>
      tx.many(
        row({ memberId: int, amountMinor: int }),
        sql`select member_id, amount_minor from credit_entries where store_id = ${storeId} order by id`
      )
    )
  const { memberId: payer } = await life.read()
  return { ...life, payer, receiver, credited }
}

test('the credit of a paid cycle is for who holds the membership then, not for who pays', async () => {
  const life = await aGift()
  await life.pay()
  assert.deepEqual(await life.credited(), [
    { memberId: life.payer, amountMinor: 500 },
    { memberId: life.receiver, amountMinor: 500 }
  ])
})

test('so is the credit of a payment that was reported as failed, once', async () => {
  const life = await aGift()
  await life.decline('INSUFFICIENT_FUNDS')
  assert.equal((await life.credited()).length, 1)
  for (let times = 0; times < 2; times++) await life.paidLate(`svc-${life.contract.id}-2-1`)
  assert.deepEqual((await life.credited()).slice(1), [{ memberId: life.receiver, amountMinor: 500 }])
})
