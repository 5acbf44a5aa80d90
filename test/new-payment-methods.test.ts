// A new card of a customer is tried for the contracts that use it, and for no other. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upsertFromContracts } from '#contracts'
import { requestedScopes } from '#platform'
import { startSandbox } from '../sandbox/start-sandbox.test-helper.ts'
import { TOPICS } from '../src/sync/topics.ts'
import { aChargedMember } from './charged-member.ts'
import { testDatabase } from './database.ts'
import { theValue } from './fake-platform.ts'
import { aSubscriptionLife } from './subscription-life.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db, requestedScopes)
const SECOND = '2026-02-28T15:00:00Z'

for (const topic of ['customer_payment_methods/create', 'customer_payment_methods/update']) {
  for (const outcome of ['insufficient_funds', 'expired_card']) {
    test(`${topic}: only the card of the contract is charged after ${outcome}`, async () => {
      const m = await aChargedMember(db, sandbox, outcome)
      await m.goTo(SECOND)
      await m.bill()
      const before = await m.now()
      const deps = { db, connectorOf: async () => m.connector, checkUninstalled: async () => {} }
      const sendWebhook = (token: string) => {
        const payload = { token, admin_graphql_api_customer_id: `gid://platform/Customer/${m.customerId}` }
        return TOPICS[topic]!(deps, m.storeId, [{ id: 1, payload, topic, triggeredAt: Temporal.Now.instant() }])
      }
      await m.card('success')
      await sendWebhook('a-card-on-file')
      await m.bill()
      assert.deepEqual(await m.now(), before)
      assert.equal((await m.attempts()).length, 1)
      assert.equal(await m.isSynced(), true)

      await sendWebhook(theValue(await m.connector.contracts.find(m.contractId))!.paymentMethodId!)
      await m.bill()
      assert.deepEqual(await m.now(), ['active', 2, 2, 0, '2026-03-31T14:00:00Z'])
    })
  }
}

test('a contract moved to another card with the same digits is charged with it, even during an attempt', async () => {
  for (const isUnderWay of [false, true]) {
    const life = await aSubscriptionLife(db)
    await life.goTo(SECOND)
    await life.bill()
    if (!isUnderWay) await life.decline('EXPIRED_PAYMENT_METHOD')
    const contract = { ...life.contract, paymentMethodId: 'card-2', revision: '7' }
    await life.inStore((ctx) => upsertFromContracts(ctx, [contract], []))
    if (isUnderWay) await life.decline('EXPIRED_PAYMENT_METHOD')
    assert.deepEqual(await life.now(), ['active', 1, 2, 1, SECOND])
    const again = await life.inStore((ctx) => upsertFromContracts(ctx, [contract], []))
    assert.deepEqual(again.changed, [])
  }
})
