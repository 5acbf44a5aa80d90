// A price that is agreed on the platform while a requested price waits there: the later one stays.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { editContracts } from '../src/sync/contracts/edit-contracts.ts'
import { addPlanVersion } from './add-plan-version.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

/** A member whose renewal was declined, so that requested terms wait. */
async function aDeclinedMember() {
  const store = await aStoreWithEvents(service)
  const { id: plan } = await service.admin('POST', `${store.at}/plans`, {
    name: 'Gold',
    type: 'vip',
    price: '29.00',
    interval: 'month'
  })
  const { customer, contract_id } = await store.member('ada@example.com', 'Gold')
  await store.settle()
  await store.card(customer.id, 'insufficient_funds')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  const { data } = await store.client.subscriptions.list({ customer_id: customer.id })
  const { id } = data[0]!
  const at = `${store.at}/subscriptions/${id}`
  const contract = store.contract(contract_id)
  return {
    ...store,
    id,
    plan: plan as string,
    requestVersion: async (price: string) => {
      await addPlanVersion(service, `${store.at}/plans/${plan}`, { price, apply_to: 'all' })
      await store.settle()
    },
    change: (requested: object) => service.admin('POST', `${at}/change`, requested),
    agreeOn: async (currentPrice: string) => {
      await contract.edit({ line: { currentPrice } })
      await store.settle()
    },
    /** The declined cycle is paid, after which the requested terms are made. */
    payCycle: async () => {
      await store.card(customer.id, 'success')
      await store.advance({ to: '2026-03-10T00:00:00Z' })
      await store.settle()
    },
    read: () => service.admin('GET', at),
    activity: async () => (await service.admin('GET', `${at}/activity`)).data as any[],
    alerts: async () => (await service.admin('GET', `${store.at}/alerts`)).data as any[]
  }
}

test('a new list price that waits during dunning does not overwrite a price that is agreed on the platform then', async () => {
  const member = await aDeclinedMember()
  await member.requestVersion('35.00')
  assert.equal((await member.read()).price, 29)
  await member.agreeOn('20.00')
  assert.deepEqual([(await member.read()).price, (await member.read()).pending_change?.price], [20, 35])
  await member.payCycle()
  const { price, pending_change } = await member.read()
  assert.deepEqual([price, pending_change], [20, null])
  const dropped = (await member.activity()).find(({ kind }: any) => kind === 'reconciled')
  assert.equal(
    dropped.text,
    'A requested change of price was not accepted: The price on the platform was changed after the request: it is 20.00 USD now, and stays'
  )
  assert.equal(dropped.details.price, 35)
  const alert = (await member.alerts()).find(({ kind }: any) => kind === 'change_not_accepted')
  assert.match(
    alert.message,
    new RegExp(`${member.id}, price: The price on the platform was changed after the request`)
  )
  await member.soundBooks()
})

test('a price that a person requested does not overwrite it either, and drops the terms that were requested with it', async () => {
  const member = await aDeclinedMember()
  await member.change({ price: '31.00' })
  await member.agreeOn('20.00')
  // A later request of something else leaves the earlier price with what it was to replace.
  await member.change({ interval: 'week', interval_count: 6 })
  await member.payCycle()
  const { price, interval, pending_change } = await member.read()
  assert.deepEqual([price, interval, pending_change], [20, 'month', null], 'terms belong together')
  await member.change({ price: '31.00' })
  await member.settle()
  assert.equal((await member.read()).price, 31, 'who requests it after that replaces the agreed price')
})

test('without another price the requested one is made, also where another request had waited before it', async () => {
  const member = await aDeclinedMember()
  await member.change({ price: '31.00' })
  await member.requestVersion('35.00')
  await member.payCycle()
  const { price, pending_change } = await member.read()
  assert.deepEqual([price, pending_change], [35, null])
  assert.deepEqual(await member.alerts(), [])
})

test('a price that is agreed between the reading of the contract and its edit stays', async () => {
  const member = await aDeclinedMember()
  await member.requestVersion('35.00')
  const { deps } = service
  const connector = await deps.connectorOf(member.storeId)
  let drafts = 0
  // The first draft is of the contract as it was before the merchant changed it.
  const interrupted: typeof connector = {
    ...connector,
    contracts: {
      ...connector.contracts,
      edit: async (edit) => {
        if (drafts++ > 0) return connector.contracts.edit(edit)
        await member.agreeOn('20.00')
        return { ok: false, failure: { kind: 'rejected', code: 'stale_contract', message: 'The contract has changed' } }
      }
    }
  }
  // The cycle is paid, so that the terms wait no longer.
  await service.db.inStore(member.storeId, ({ tx }) =>
    tx.run(
      sql`update subscriptions set declines = 0, billing_due_at = next_billing_at where store_id = ${member.storeId}`
    )
  )
  const input = { subscriptionId: Number(member.id.slice('sub_'.length)) }
  const [outcome] = await editContracts.run({ ...deps, connectorOf: async () => interrupted }, member.storeId, [
    { input, attempts: 1, renewLease: async () => {} }
  ])
  assert.deepEqual([outcome, drafts], [{ done: true }, 1])
  await member.settle()
  assert.deepEqual([(await member.read()).price, (await member.read()).pending_change], [20, null])
})
