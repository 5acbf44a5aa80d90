import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeCredits } from '#credits'
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

test('the credit is that of the version of the plan that the subscription has, not of a newer one', async () => {
  for (const isLate of [false, true]) {
    const life = await aGift()
    await life.inStore(({ tx, storeId }) =>
      tx.run(sql`
        with newer as (
          update plans set current_version = 2, credit_minor = 900 where store_id = ${storeId} returning id)
        insert into plan_versions (store_id, plan_id, version, price_minor, interval, interval_count, credit_minor,
          platform_selling_plan_id, applies_to, created_at)
        select v.store_id, v.plan_id, 2, v.price_minor, v.interval, v.interval_count, 900, v.platform_selling_plan_id, 'new',
               v.created_at
          from plan_versions v join newer on newer.id = v.plan_id where v.store_id = ${storeId}`)
    )
    if (isLate) await life.decline('INSUFFICIENT_FUNDS')
    await life.paidLate(`svc-${life.contract.id}-2-1`)
    assert.deepEqual((await life.credited()).slice(1), [{ memberId: life.receiver, amountMinor: 500 }])
  }
})

test('where the credit of a paid cycle cannot be issued the cycle is paid all the same, and an alert says so', async () => {
  const life = await aSubscriptionLife(db, { plan: { name: 'Gold', creditMinor: 500 } })
  await life.goTo(SECOND)
  await life.bill()
  const [account] = await life.inStore(({ tx, storeId }) =>
    tx.many(row({ memberId: int }), sql`select member_id from credit_entries where store_id = ${storeId}`)
  )
  // As much as can be stored, and less than a cycle's credit away from it.
  const most = Number.MAX_SAFE_INTEGER - 500
  const change = {
    memberId: account!.memberId,
    amountMinor: most,
    type: 'manual_add' as const,
    reason: 'test',
    operationId: 'most'
  }
  const [given] = await life.inStore((ctx) => changeCredits(ctx, [change]))
  assert.equal(given!.refusal, undefined)
  await life.pay()
  assert.deepEqual((await life.now()).slice(0, 3), ['active', 2, 3])
  assert.deepEqual(await life.alerts(), ['credit_not_issued'])
})
