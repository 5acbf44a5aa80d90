// Every event has its customer as ordering key, so that receivers get the events of one customer in order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeCredits } from '#credits'
import { row, sql, text } from '#kit/postgres'
import { giftSubscription } from '#lifecycle'
import { adjustPoints } from '#points'
import { PUBLIC_FACTS } from '#webhooks'
import { sequenceFacts, startConsumers } from '../src/kit/outbox/sequence-facts.ts'
import { webhooksConsumer } from '../src/webhooks/queue/queue-deliveries.ts'
import { testDatabase } from './database.ts'
import { aSubscriptionLife } from './subscription-life.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'

test('each fact has the key of the customer whom its payload names, and member.created comes first', async () => {
  const life = await aSubscriptionLife(db, { plan: { name: 'Gold', creditMinor: 500 } })
  const { memberId } = await life.read()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline('INSUFFICIENT_FUNDS')
  await life.inStore(async (ctx) => {
    const change = { memberId, reason: 'x', operationId: 'test' }
    await changeCredits(ctx, [{ ...change, type: 'manual_add', amountMinor: 500 }])
    await changeCredits(ctx, [{ ...change, type: 'manual_deduct', amountMinor: -100, operationId: 'deduct' }])
    await adjustPoints(ctx, [{ ...change, balance: 7 }])
  })
  await life.goTo((await life.attempts())[0]!.retryAt!.toString())
  await life.bill()
  await life.pay()
  const receiver = await life.anotherCustomer()
  await life.inStore((ctx) => giftSubscription(ctx, life.id, receiver, 'api'))
  await life.pause()
  await life.resume()
  await life.cancel()

  await life.inStore((ctx) => startConsumers(ctx, [webhooksConsumer]))
  await sequenceFacts(db, life.storeId)
  const facts = await life.inStore(({ tx, storeId }) =>
    tx.many(
      row({ name: text, orderingKey: text, data: text }),
      sql`select name, ordering_key, data from facts
           where store_id = ${storeId} and name = any(${PUBLIC_FACTS}::text[]) order by position`
    )
  )
  const names = new Set(facts.map(({ name }) => name))
  for (const kind of ['subscription.', 'billing.', 'member.', 'store_credit.added', 'store_credit.deducted']) {
    assert.ok(
      [...names].some((name) => name.startsWith(kind)),
      kind
    )
  }
  assert.ok(names.has('member.points_changed'))
  for (const { name, orderingKey, data } of facts) {
    const { customer } = JSON.parse(data) as { customer: { id: string } }
    assert.equal(orderingKey, `member:${customer.id.replace('cust_', '')}`, name)
  }
  const ofPayer = facts.filter(({ orderingKey }) => orderingKey === `member:${memberId}`).map(({ name }) => name)
  assert.deepEqual(ofPayer.slice(0, 2), ['member.created', 'subscription.created'])
  // A gift's subscription and charges stay events of the one who pays.
  assert.ok(ofPayer.indexOf('subscription.paused') > 0 && ofPayer.at(-1) !== 'member.created')
  const ofReceiver = facts.filter(({ orderingKey }) => orderingKey === `member:${receiver}`).map(({ name }) => name)
  assert.equal(ofReceiver[0], 'member.created')
})
