// Messages of the platform about contracts that others have billed so far, while an import is to take them over and after it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createImportEngine } from '#imports'
import { row, sql, text } from '#kit/postgres'
import { changeContractStatus } from './change-contract-status.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { theValue } from './fake-platform.ts'
import { aStoreToMoveTo, csv } from './import-builder.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

type Moved = Awaited<ReturnType<typeof aStoreToMoveTo>>

/** Somebody edits the contract on the platform, which tells us. */
async function touch({ store, settle }: Moved, contractId: string) {
  for (const move of ['Pause', 'Activate'] as const) {
    assert.deepEqual(await changeContractStatus(store, contractId, move), [])
  }
  await settle()
}

const held = ({ store }: Moved) =>
  service.db.inStore(store.storeId, ({ tx, storeId }) =>
    tx.many(
      row({ contract: text, status: text }),
      sql`select platform_contract_id as contract, status from subscriptions where store_id = ${storeId} order by 1`
    )
  )

test('what a file that is not all there yet names waits for it; what it leaves out is taken over as ever', async () => {
  const moved = await aStoreToMoveTo(service)
  const [a, b] = await moved.contracts(720_001, 2, () => ({ nextBillingAt: '2026-02-04T15:00:00Z' }))
  const { id } = await moved.begin({ source: 'csv', mode: 'paused' })
  await service.db.inStore(moved.store.storeId, ({ tx, storeId }) =>
    tx.run(sql`
      insert into import_rows (store_id, import_id, line, input, status, platform_contract_id)
      values (${storeId}, ${Number(id.slice(4))}, 2, ${{ contract_id: a }}::jsonb, 'waiting', ${a!})`)
  )
  await touch(moved, a!)
  await touch(moved, b!)
  assert.deepEqual(await held(moved), [{ contract: b, status: 'active' }])

  // The import takes it over as it was asked to, and the message that waited changes nothing of that.
  const paused = await moved.import({ source: 'csv', mode: 'paused' }, csv(['contract_id'], [[a!]]))
  await moved.settle()
  assert.equal((await moved.shown(paused)).created, 1)
  await moved.store.advance({ to: '2026-02-10T00:00:00Z' })
  assert.deepEqual((await held(moved))[0], { contract: a, status: 'paused' })
  assert.deepEqual(
    (await moved.charges()).map(({ contractId }) => contractId),
    [b]
  )
})

test('what an import has refused, and what it had not come to when it was cancelled, stays with who bills it', async () => {
  const moved = await aStoreToMoveTo(service)
  const ids = await moved.contracts(730_001, 3, () => ({ nextBillingAt: '2026-02-04T15:00:00Z' }))
  const [priced, late, cancelled] = ids as [string, string, string]
  const columns = ['contract_id', 'price', 'next_billing_date']
  const file = csv(columns, [
    [priced, '31.00', ''],
    [late, '', '2020-01-01']
  ])
  const id = await moved.import({ source: 'csv' }, file)
  await moved.settle()
  assert.deepEqual(
    (await moved.refusedLines(id)).map(({ code }) => code),
    ['differs_from_platform', 'date_passed']
  )
  const second = await moved.import({ source: 'csv' }, csv(['contract_id'], [[cancelled]]))
  await service.admin('POST', `${moved.store.at}/imports/${second}/cancel`, {})
  for (const contractId of ids) await touch(moved, contractId)
  await moved.store.advance({ to: '2026-02-10T00:00:00Z' })
  assert.deepEqual([await held(moved), await moved.charges()], [[], []])

  // The mended file is what makes them ours.
  await moved.import(
    { source: 'csv' },
    csv(
      ['contract_id'],
      ids.map((contractId) => [contractId])
    )
  )
  await moved.settle()
  assert.deepEqual(
    (await held(moved)).map(({ contract }) => contract),
    ids
  )
})

test('while the list of the platform is fetched, contracts from before wait for it', async () => {
  const moved = await aStoreToMoveTo(service)
  const [a] = await moved.contracts(740_001, 1, () => ({ nextBillingAt: '2026-02-04T15:00:00Z' }))
  const { id } = await moved.begin({ source: 'platform', mode: 'paused' })
  // Nobody works on it meanwhile.
  const due = (at: string | null) =>
    service.db.inStore(moved.store.storeId, ({ tx, storeId, now }) =>
      tx.run(sql`
        update imports set due_at = ${at}, created_at = ${now.add({ minutes: 1 })} where store_id = ${storeId}`)
    )
  await due(null)
  await touch(moved, a!)
  assert.deepEqual(await held(moved), [])
  await due('2026-01-01T00:00:00Z')
  await moved.settle()
  assert.equal((await moved.shown(id)).created, 1)
  assert.deepEqual(await held(moved), [{ contract: a, status: 'paused' }])
})

test('a contract that the platform tells wrongly refuses its row, and holds up no other', async () => {
  const moved = await aStoreToMoveTo(service)
  const [a, b, c] = await moved.contracts(760_001, 3, () => ({ nextBillingAt: '2026-02-04T15:00:00Z' }))
  const engine = createImportEngine({
    db: service.db,
    leaseOwner: 1,
    connectorOf: async (storeId) => {
      const connector = await service.deps.connectorOf(storeId)
      return withCalls(connector, {
        contracts: {
          async findReadable(ids) {
            const { contracts } = theValue(await connector.contracts.findReadable(ids))
            contracts.delete(b!)
            return { ok: true, value: { contracts, unreadable: new Map([[b!, 'currencyCode must be text']]) } }
          }
        }
      })
    }
  })
  const id = await moved.import({ source: 'csv', mode: 'live' }, csv(['contract_id'], [[a!], [b!], [c!]]))
  while ((await engine.runOnce(moved.store.storeId)) > 0) {}
  const { status, created, refused } = await moved.shown(id)
  assert.deepEqual([status, created, refused], ['done', 2, 1])
  const lines = await moved.refusedLines(id)
  assert.deepEqual(
    lines.map(({ line, code }) => [line, code]),
    [[3, 'contract_not_understood']]
  )
})
