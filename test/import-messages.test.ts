// Messages of the platform about contracts that another service bills, while an import is open and after it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settleAttempts } from '#billing'
import { upsertFromContracts } from '#contracts'
import { createImportEngine } from '#imports'
import { instant, nullable, row, sql, text } from '#kit/postgres'
import type { PlatformContract } from '#platform'
import { setClock } from '#stores'
import { openDueAttempts } from '../src/billing/charging/open-attempts.ts'
import { changeContractStatus } from './change-contract-status.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { theValue } from './fake-platform.ts'
import { aStoreForImports, csv } from './import-builder.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

type Imports = Awaited<ReturnType<typeof aStoreForImports>>

/** Edits the contract on the platform, which sends messages about it, and processes them. */
async function touch({ store, settle }: Imports, contractId: string) {
  for (const change of ['Pause', 'Activate'] as const) {
    assert.deepEqual(await changeContractStatus(store, contractId, change), [])
  }
  await settle()
}

const subscriptionsIn = ({ store }: Imports) =>
  service.db.inStore(store.storeId, ({ tx, storeId }) =>
    tx.many(
      row({ contract: text, status: text }),
      sql`select platform_contract_id as contract, status from subscriptions where store_id = ${storeId} order by 1`
    )
  )

test('a message about a contract in an open import waits for the import; any other new contract is synced at once', async () => {
  const imports = await aStoreForImports(service)
  const [a, b] = await imports.contracts(720_001, 2, () => ({ nextBillingAt: '2026-02-04T15:00:00Z' }))
  const { id } = await imports.start({ source: 'csv', mode: 'paused' })
  await service.db.inStore(imports.store.storeId, ({ tx, storeId }) =>
    tx.run(sql`
      insert into import_rows (store_id, import_id, line, input, status, platform_contract_id)
      values (${storeId}, ${Number(id.slice(4))}, 2, ${{ contract_id: a }}::jsonb, 'waiting', ${a!})`)
  )
  await touch(imports, a!)
  await touch(imports, b!)
  assert.deepEqual(await subscriptionsIn(imports), [{ contract: b, status: 'active' }])

  // The import decides the contract's first state; the message that waited does not change it.
  const paused = await imports.import({ source: 'csv', mode: 'paused' }, csv(['contract_id'], [[a!]]))
  await imports.settle()
  assert.equal((await imports.show(paused)).created, 1)
  await imports.store.advance({ to: '2026-02-10T00:00:00Z' })
  assert.deepEqual((await subscriptionsIn(imports))[0], { contract: a, status: 'paused' })
  assert.deepEqual(
    (await imports.charges()).map(({ contractId }) => contractId),
    [b]
  )
})

test('messages do not create subscriptions for contracts that an import refused or that it left when it was cancelled', async () => {
  const imports = await aStoreForImports(service)
  const ids = await imports.contracts(730_001, 3, () => ({ nextBillingAt: '2026-02-04T15:00:00Z' }))
  const [priced, late, cancelled] = ids as [string, string, string]
  const columns = ['contract_id', 'price', 'next_billing_date']
  const file = csv(columns, [
    [priced, '31.00', ''],
    [late, '', '2020-01-01']
  ])
  const id = await imports.import({ source: 'csv' }, file)
  await imports.settle()
  assert.deepEqual(
    (await imports.refusedLines(id)).map(({ code }) => code),
    ['differs_from_platform', 'date_passed']
  )
  const second = await imports.import({ source: 'csv' }, csv(['contract_id'], [[cancelled]]))
  await service.admin('POST', `${imports.store.at}/imports/${second}/cancel`, {})
  for (const contractId of ids) await touch(imports, contractId)
  await imports.store.advance({ to: '2026-02-10T00:00:00Z' })
  assert.deepEqual([await subscriptionsIn(imports), await imports.charges()], [[], []])

  // A corrected file imports them.
  await imports.import(
    { source: 'csv' },
    csv(
      ['contract_id'],
      ids.map((contractId) => [contractId])
    )
  )
  await imports.settle()
  assert.deepEqual(
    (await subscriptionsIn(imports)).map(({ contract }) => contract),
    ids
  )
})

test("while the platform's list is fetched, messages about older contracts wait for it", async () => {
  const imports = await aStoreForImports(service)
  const [a] = await imports.contracts(740_001, 1, () => ({ nextBillingAt: '2026-02-04T15:00:00Z' }))
  const { id } = await imports.start({ source: 'platform', mode: 'paused' })
  // The import is not processed in the meantime.
  const due = (at: string | null) =>
    service.db.inStore(imports.store.storeId, ({ tx, storeId, now }) =>
      tx.run(sql`
        update imports set due_at = ${at}, created_at = ${now.add({ minutes: 1 })} where store_id = ${storeId}`)
    )
  await due(null)
  await touch(imports, a!)
  assert.deepEqual(await subscriptionsIn(imports), [])
  await due('2026-01-01T00:00:00Z')
  await imports.settle()
  assert.equal((await imports.show(id)).created, 1)
  assert.deepEqual(await subscriptionsIn(imports), [{ contract: a, status: 'paused' }])
})

test('a contract whose platform data cannot be read refuses only its own row', async () => {
  const imports = await aStoreForImports(service)
  const [a, b, c, d] = await imports.contracts(760_001, 4, () => ({ nextBillingAt: '2026-02-04T15:00:00Z' }))
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
            for (const id of [c!, d!]) contracts.set(id, { ...contracts.get(id)!, originOrder: undefined })
            return { ok: true, value: { contracts, unreadable: new Map([[b!, 'currencyCode must be text']]) } }
          }
        }
      })
    }
  })
  const id = await imports.import(
    { source: 'csv', mode: 'live' },
    csv(
      ['contract_id', 'cycles_paid'],
      [
        [a!, ''],
        [b!, ''],
        [c!, ''],
        [d!, '3']
      ]
    )
  )
  while ((await engine.runOnce(imports.store.storeId)) > 0) {}
  const { status, created, refused } = await imports.show(id)
  assert.deepEqual([status, created, refused], ['done', 2, 2])
  const lines = await imports.refusedLines(id)
  assert.deepEqual(
    lines.map(({ line, code }) => [line, code]),
    [
      [3, 'contract_not_understood'],
      [4, 'contract_not_understood']
    ]
  )
})

test('an import that reads a new payment method first has the waiting charge tried with it, as a message would', async () => {
  const imports = await aStoreForImports(service)
  const { storeId } = imports.store
  const [contractId] = await imports.contracts(770_001, 1, () => ({ nextBillingAt: '2026-02-04T15:00:00Z' }))
  const due = '2026-02-04T15:00:00Z'
  /** A message takes the contract over, and its first charge is declined until another card is there. */
  const declineFirst = async (contract: PlatformContract) => {
    await service.db.inStore(storeId, (ctx) => upsertFromContracts(ctx, [contract], []))
    await service.db.inStore(storeId, (ctx) => setClock(ctx, Temporal.Instant.from(due)))
    await service.db.inStore(storeId, (ctx) => openDueAttempts(ctx, 10))
    const idempotencyKey = `svc-${contractId}-1-1`
    const declined = { state: 'failed', errorCode: 'EXPIRED_PAYMENT_METHOD', errorMessage: 'No' } as const
    await service.db.inStore(storeId, (ctx) =>
      settleAttempts(ctx, [{ idempotencyKey, platformAttemptId: '1', ...declined }])
    )
  }
  const engine = createImportEngine({
    db: service.db,
    leaseOwner: 1,
    connectorOf: async (id) => {
      const connector = await service.deps.connectorOf(id)
      return withCalls(connector, {
        contracts: {
          async findReadable(ids) {
            const read = await connector.contracts.findReadable(ids)
            const contract = theValue(read).contracts.get(contractId!)
            if (!contract) return read
            await declineFirst(contract)
            const renewed = { ...contract, paymentMethodId: 'another-card', revision: `${contract.revision}1` }
            return { ok: true, value: { contracts: new Map([[contractId!, renewed]]), unreadable: new Map() } }
          }
        }
      })
    }
  })
  const id = await imports.import({ source: 'csv', mode: 'live' }, csv(['contract_id'], [[contractId!]]))
  while ((await engine.runOnce(storeId)) > 0) {}
  assert.equal((await imports.show(id)).unchanged, 1)
  const { dueAt } = await service.db.inStore(storeId, ({ tx }) =>
    tx.one(
      row({ dueAt: nullable(instant) }),
      sql`select billing_due_at as due_at from subscriptions
           where store_id = ${storeId} and platform_contract_id = ${contractId!}`
    )
  )
  assert.equal(dueAt?.toString(), due)
})
