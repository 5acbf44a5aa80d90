// What contracts have for some renewals, kept on the platform by the engine: lost answers, others who change it, refusals. With the sandbox over its
// socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueGrants, revokeGrants } from '#contracts'
import { bool, int, row, sql, text } from '#kit/postgres'
import { lockMembers } from '#members'
import type { FoundContractGrant, NewContractGrant, PlatformFailure } from '#platform'
import { listAlerts } from '#stores'
import type { createContractGrantEngine } from '../src/contracts/grants/contract-grant-engine.ts'
import { adminOf } from './admin-calls.ts'
import { testDatabase } from './database.ts'
import { aRewardShop, brief, OFF20 } from './reward-shop.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const aShop = () => aRewardShop(service)
const { call } = adminOf(service)

const LOST: PlatformFailure = { kind: 'unavailable', message: 'The answer was lost', outcomeUnknown: true }

/** Counts an event, and leaves the engine of the service out of it. */
async function reviewWithout(shop: Awaited<ReturnType<typeof aShop>>, customer: string, event_id: string) {
  const memberId = await shop.memberOf(customer)
  await service.admin('POST', `${shop.at}/loyalty/events`, {
    ...{ customer: `cust_${memberId}`, type: 'review', provider: 'stars', event_id }
  })
}

async function runOut(engine: ReturnType<typeof createContractGrantEngine>, storeId: number) {
  while ((await engine.runOnce(storeId)) > 0);
}

test('a draft whose answer was lost gives no second discount; one that is revoked meanwhile is looked for until the call has ended', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule(OFF20)
  await reviewWithout(shop, ada, 'one')
  const { addGrant } = shop.connector.contracts
  let calls = 0
  const losing = shop.withApi({
    async addGrant(id: string, grant: NewContractGrant) {
      calls++
      assert.ok((await addGrant(id, grant)).ok)
      return { ok: false, failure: LOST }
    }
  })
  await runOut(losing, shop.storeId)
  assert.deepEqual([calls, await shop.onContract(coffee.contractId)], [1, ['SVC: Thanks (ref. …) 0/2']])
  await shop.wake()
  await runOut(losing, shop.storeId)
  assert.deepEqual([calls, await shop.onContract(coffee.contractId)], [1, ['SVC: Thanks (ref. …) 0/2']])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['active', null, true, '0/2']])

  // The call of the second arrives when it was looked for, and not found.
  await reviewWithout(shop, ada, 'two')
  let arrive = async () => {}
  await runOut(
    shop.withApi({
      async addGrant(id: string, grant: NewContractGrant) {
        arrive = async () => assert.ok((await addGrant(id, grant)).ok)
        return { ok: false, failure: LOST }
      }
    }),
    shop.storeId
  )
  const [second] = await shop.rewardsOf(ada)
  assert.equal((await call(shop, 'POST', `/loyalty/subscription-rewards/${second!.id}/end`)).status, 200)
  await shop.endRests()
  await shop.settle()
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/2'])
  await arrive()
  assert.equal((await shop.onContract(coffee.contractId)).length, 2)
  await shop.wake()
  await shop.settle()
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/2'])
  await shop.soundRules()
})

test('two rewards at once are both on the contract, whoever else changes it meanwhile', async () => {
  const shop = await aShop()
  const mug = await shop.product('Mug')
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule(OFF20)
  await shop.rule({ reward_type: 'subscription_free_product', product_id: mug }, 'stars', 'A mug')
  await shop.review(ada, 'one')
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/2', '1 Mug 0'])
  // Two processes that add the same at once, as after a lost lease.
  const grant = { key: 'ABCDEFGH2345', label: 'Twice', gives: { kind: 'discount', percent: 5, orders: 1 } } as const
  const ended = await Promise.all([1, 2, 3].map(() => shop.connector.contracts.addGrant(coffee.contractId, grant)))
  assert.ok(ended.some((one) => one.ok))
  for (const one of ended) if (!one.ok) assert.equal(one.failure.code, 'stale_contract')
  assert.equal((await shop.onContract(coffee.contractId)).filter((one: string) => /Twice/.test(one)).length, 1)
  // Nobody here knows it: it is taken off within a day.
  await shop.advance({ by: 'PT25H' })
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/2', '1 Mug 0'])
})

test('a product that the shop does not have is refused for good: an alert says so, and the list shows it', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule({ reward_type: 'subscription_free_product', product_id: '99999999' })
  await shop.rule(OFF20)
  await shop.review(ada, 'one')
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Thanks (ref. …) 0/2'])
  const { data } = (await call(shop, 'GET', `/loyalty/subscription-rewards?customer=${ada}`)).body
  const [refused] = data.filter(({ type }: { type: string }) => type === 'free_product')
  assert.deepEqual(
    [refused.status, refused.ended_by, refused.problem],
    ['ended', 'refused', 'The shop has no product 99999999']
  )
  // However many customers have it.
  const bob = await shop.person('bob@example.com')
  await shop.join(bob, 'Coffee')
  await shop.review(bob, 'two')
  const { alerts } = await db.inStore(shop.storeId, (ctx) => listAlerts(ctx))
  assert.deepEqual(
    alerts.filter(({ kind }) => kind === 'contract_grant_refused').map(({ message }) => message),
    [
      'The platform refuses “Thanks” on contracts: The shop has no product 99999999. perennial loyalty subscription-reward list shows whose it is.'
    ]
  )
  assert.equal((await call(shop, 'POST', `/loyalty/subscription-rewards/${refused.id}/end`)).status, 409)
  assert.equal((await call(shop, 'POST', `/loyalty/subscription-rewards/999999/end`)).status, 404)
})

test('one that somebody takes off on the platform is not given again', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  await shop.rule(OFF20)
  await shop.review(ada, 'one')
  const found = await shop.connector.contracts.findGrants(coffee.contractId)
  assert.ok(found.ok && found.value)
  await shop.connector.contracts.removeGrants(
    coffee.contractId,
    found.value.grants.map(({ key }: FoundContractGrant) => key)
  )
  await shop.advance({ by: 'PT25H' })
  assert.deepEqual(await shop.onContract(coffee.contractId), [])
  assert.deepEqual(brief(await shop.rewardsOf(ada)), [['ended', 'removed', false, '0/2']])
})

test('a grant of one contract without an end is taken off by hand, and is over with its contract', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  const memberId = await shop.memberOf(ada)
  const give = (operationId: string) =>
    db.inStore(shop.storeId, async (ctx) => {
      await lockMembers(ctx, [memberId])
      const subscriptionId = Number(coffee.id.slice(4))
      const terms = { kind: 'discount', percent: 10, cycles: null } as const
      const given = await issueGrants(ctx, [
        { memberId, subscriptionId, label: 'Stay', terms, isTransferable: false, operationId }
      ])
      return given.get(operationId)!
    })
  const first = await give('one')
  await shop.settle()
  assert.deepEqual(await shop.onContract(coffee.contractId), ['SVC: Stay (ref. …) 0/null'])
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [13.5, 13.5])
  await db.inStore(shop.storeId, async (ctx) => {
    await lockMembers(ctx, [memberId])
    await revokeGrants(ctx, [first])
  })
  await shop.settle()
  assert.deepEqual(await shop.onContract(coffee.contractId), [])
  const second = await give('two')
  await shop.settle()
  await shop.move(coffee.id, 'cancel')
  await shop.advance({ by: 'P3D' })
  await shop.join(ada, 'VIP')
  const rows = await db.inStore(shop.storeId, (ctx) =>
    ctx.tx.many(
      row({ id: int, endedBy: text, isOn: bool, usedCycles: int }),
      sql`select id, ended_by, is_on, used_cycles from contract_grants where store_id = ${ctx.storeId} order by id`
    )
  )
  assert.deepEqual(rows, [
    { id: first, endedBy: 'revoked', isOn: false, usedCycles: 1 },
    { id: second, endedBy: 'over', isOn: false, usedCycles: 0 }
  ])
})
