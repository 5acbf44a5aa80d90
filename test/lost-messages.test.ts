// Scenario 12 of our reliability rules, a short run: webhooks are dropped, duplicated, late and out of order while members renew,
// cards fail and contracts are changed on the platform. After a reconciliation both sides agree, and no cycle was charged twice.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { changeContractStatus } from './change-contract-status.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const MEMBERS = 10
const ROUNDS = 4
const OUTCOMES = ['success', 'duplicate', 'late', 'lost', 'reported_failed', 'insufficient_funds', 'expired_card']
const MOVES = ['Pause', 'Activate', 'Activate', 'Activate', 'Cancel'] as const

const Standing = row({ contract: text, status: text })

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox

describe('whatever becomes of messages, both sides agree in the end', { concurrency: true }, () => {
  for (const seed of [1, 2]) test(`seed ${seed}`, () => loseMessages(seed))
})

async function loseMessages(seed: number): Promise<void> {
  const roll = randomFrom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(roll() * from.length)]!
  const store = await service.aStore()
  const { storeId } = store
  const faults = { drop: 0.3, duplicate: 0.3, late: 0.3, delayHours: 24, shuffle: true, seed }
  await controls.setWebhookFaults({ storeId, faults })
  const members: { customerId: string; contractId: string }[] = []
  for (let i = 0; i < MEMBERS; i++) {
    const { id: customerId } = await controls.createCustomer({ storeId, email: `m${i}@example.com` })
    const { contractId } = await controls.join({ storeId, customerId, plan: 'VIP' })
    members.push({ customerId, contractId })
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const { customerId, contractId } of members) {
      if (roll() < 0.4) await controls.setCard({ storeId, customerId, outcome: pick(OUTCOMES) })
      if (roll() < 0.15) await changeContractStatus(store, contractId, pick(MOVES))
    }
    await store.advance({ by: 'P12D' })
  }
  // The last late messages arrive, and the last charges are settled.
  for (const { customerId } of members) await controls.setCard({ storeId, customerId, outcome: 'success' })
  await controls.setWebhookFaults({ storeId, faults: null })
  await store.advance({ by: 'P3D' })
  await service.admin('POST', `${store.at}/reconcile`, {})
  await service.admin('POST', `${store.at}/reconcile`, {})

  assert.deepEqual(await ours(), await theirs())
  assert.equal((await ours()).length, MEMBERS)
  const charges = await controls.charges(storeId)
  assert.equal(new Set(charges.map((c) => `${c.contractId}:${c.periodAt}`)).size, charges.length)
  assert.ok(charges.length >= MEMBERS / 2, `only ${charges.length} charges`)
  await store.soundBooks()

  function ours() {
    return service.db.inStore(storeId, ({ tx }) =>
      tx.many(
        Standing,
        sql`select platform_contract_id as contract, status from subscriptions where store_id = ${storeId}
               order by platform_contract_id collate "C"`
      )
    )
  }
  function theirs() {
    return service.sandboxDb.direct.many(
      Standing,
      sql`select id::text as contract, lower(status) as status from sandbox.contracts where store_id = ${storeId}
             order by id::text collate "C"`
    )
  }
}
