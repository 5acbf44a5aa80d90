import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitingKeys } from '#kit/jobs'
import { instant, row, sql, text } from '#kit/postgres'
import type { Connector, InboundMessage, PlatformContract } from '#platform'
import { aContract, anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { upsertFromContracts } from '../../contracts/upsert-from-contracts.ts'
import { syncContractJob } from '../../subscriptions/platform-requests.ts'
import { applyCustomerDeletions } from './apply-customer-deletions.ts'
import { applyCustomerMerges } from './apply-customer-merges.ts'
import { applyPaymentMethods } from './apply-payment-methods.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')

/** A store with subscriptions, and a platform that has these customers and contracts and counts what it is asked. */
async function aSyncedStore(count: number) {
  const store = await aStore(db, { clockAt: START })
  const contracts = Array.from({ length: count }, () => aContract(START))
  await store.inStore((ctx) =>
    upsertFromContracts(
      ctx,
      contracts,
      contracts.map(({ originOrder }) => anOrder(START, { id: originOrder!.id }))
    )
  )
  await store.inStore(({ tx, storeId }) => tx.run(sql`delete from jobs where store_id = ${storeId}`))
  const platform = {
    customers: new Map(contracts.map(({ customer }) => [customer!.id, customer!])),
    contracts: new Map(contracts.map((contract) => [contract.id, contract])),
    unreadable: new Map<string, string>(),
    asked: [] as string[]
  }
  const pick = <T>(all: Map<string, T>, ids: string[]) =>
    new Map([...all].filter(([id]) => ids.includes(id) && !platform.unreadable.has(id)))
  const connector = {
    customers: {
      findMany: async (ids: string[]) => {
        platform.asked.push(`customers ${ids.join()}`)
        return { ok: true, value: pick(platform.customers, ids) }
      }
    },
    contracts: {
      findReadable: async (ids: string[]) => {
        platform.asked.push(`contracts ${ids.join()}`)
        const unreadable = new Map([...platform.unreadable].filter(([id]) => ids.includes(id)))
        return { ok: true, value: { contracts: pick(platform.contracts, ids), unreadable } }
      }
    },
    orders: { findMany: async () => ({ ok: true, value: new Map() }) }
  } as unknown as Connector
  const deps = { db, connectorOf: async () => connector }
  return {
    ...store,
    platform,
    deps,
    contracts,
    customerIds: contracts.map(({ customer }) => customer!.id),
    /** The subscriptions in the order of their ids: status and the platform's number of their customer. */
    subscriptions: () =>
      store.inStore(({ tx, storeId }) =>
        tx.many(
          row({ status: text, customer: text }),
          sql`
          select s.status, m.platform_customer_id as customer from subscriptions s
            join members m on m.store_id = ${storeId} and m.id = s.member_id
           where s.store_id = ${storeId} order by s.id`
        )
      )
  }
}

const messagesOf = (topic: string, payloads: unknown[]): InboundMessage[] =>
  payloads.map((payload, id) => ({ id, topic, payload, triggeredAt: START }))
const gid = (type: string, id: string) => `gid://platform/${type}/${id}`
const deletions = (ids: string[]) =>
  messagesOf(
    'customers/delete',
    ids.map((id) => ({ id: Number(id), admin_graphql_api_id: gid('Customer', id) }))
  )
const merges = (pairs: [kept: string, deleted: string, status?: string][]) =>
  messagesOf(
    'customers/merge',
    pairs.map(([kept, deleted, status = 'COMPLETED']) => ({
      admin_graphql_api_customer_kept_id: gid('Customer', kept),
      admin_graphql_api_customer_deleted_id: gid('Customer', deleted),
      status
    }))
  )

const withoutCustomer = (contract: PlatformContract): PlatformContract => ({ ...contract, customer: null })

test('a deleted customer’s subscription ends; one that the platform still has keeps it, whatever the message says', async () => {
  const { deps, storeId, platform, customerIds, contracts, subscriptions } = await aSyncedStore(3)
  await applyCustomerDeletions(deps, storeId, deletions(customerIds.slice(0, 2)))
  assert.deepEqual(platform.asked, [`customers ${customerIds.slice(0, 2).join()}`])
  assert.deepEqual(
    (await subscriptions()).map(({ status }) => status),
    ['active', 'active', 'active']
  )
  // An older message about another one comes together with the true one.
  platform.customers.delete(customerIds[1]!)
  platform.contracts.set(contracts[1]!.id, withoutCustomer(contracts[1]!))
  await applyCustomerDeletions(deps, storeId, deletions(customerIds.slice(0, 2)))
  assert.deepEqual(
    (await subscriptions()).map(({ status }) => status),
    ['active', 'cancelled', 'active']
  )
  // Again: nothing more.
  await applyCustomerDeletions(deps, storeId, deletions(customerIds.slice(0, 2)))
  assert.deepEqual(
    (await subscriptions()).map(({ status }) => status),
    ['active', 'cancelled', 'active']
  )
})

test('of a deleted customer a contract that names another one, or cannot be read, goes on', async () => {
  const { deps, storeId, platform, customerIds, contracts, subscriptions, inStore } = await aSyncedStore(2)
  for (const id of customerIds) platform.customers.delete(id)
  platform.contracts.set(contracts[0]!.id, { ...contracts[0]!, customer: { ...contracts[0]!.customer!, id: '77' } })
  platform.unreadable.set(contracts[1]!.id, 'No price')
  await applyCustomerDeletions(deps, storeId, deletions(customerIds))
  assert.deepEqual(
    (await subscriptions()).map(({ status }) => status),
    ['active', 'active']
  )
  const quarantined = await inStore(({ tx }) =>
    tx.many(row({ id: text }), sql`select contract_id as id from quarantined_contracts where store_id = ${storeId}`)
  )
  assert.deepEqual(
    quarantined.map(({ id }) => id),
    [contracts[1]!.id]
  )
})

test('a completed merge moves the subscription; one that is not, or is early, moves nothing', async () => {
  const { deps, storeId, platform, customerIds, contracts, subscriptions } = await aSyncedStore(3)
  const [kept, deleted, other] = customerIds as [string, string, string]
  await applyCustomerMerges(deps, storeId, merges([[kept, deleted, 'IN_PROGRESS']]))
  assert.deepEqual(platform.asked, [])
  await assert.rejects(applyCustomerMerges(deps, storeId, merges([[kept, deleted]])), /still has customer/)
  const customers = async () => (await subscriptions()).map(({ customer }) => customer)
  assert.deepEqual(await customers(), [kept, deleted, other])

  platform.customers.delete(deleted)
  platform.contracts.set(contracts[1]!.id, { ...contracts[1]!, customer: { ...contracts[0]!.customer! } })
  await applyCustomerMerges(deps, storeId, merges([[kept, deleted]]))
  assert.deepEqual(await customers(), [kept, kept, other])
  assert.deepEqual(
    (await subscriptions()).map(({ status }) => status),
    ['active', 'active', 'active']
  )
  // The contracts of the kept one were read.
  assert.equal(platform.asked.at(-1), `contracts ${contracts[0]!.id},${contracts[1]!.id}`)
})

test('a new payment method: the customer’s contracts are to be read again, and those that wait and name it are charged', async () => {
  const { deps, storeId, platform, customerIds, contracts, inStore } = await aSyncedStore(3)
  const methods = (ids: [customer: string, method: string][]) =>
    messagesOf(
      'customer_payment_methods/update',
      ids.map(([customer, token]) => ({ admin_graphql_api_customer_id: gid('Customer', customer), token }))
    )
  // The third does not wait: its charge is under way or ahead, and was not declined.
  await inStore(({ tx }) =>
    tx.run(sql`
      update subscriptions set declines = 1, billing_due_at = ${START.add({ hours: 48 })}
       where store_id = ${storeId} and platform_contract_id <> ${contracts[2]!.id}`)
  )
  platform.contracts.set(contracts[1]!.id, { ...contracts[1]!, paymentMethodId: 'card-2' })
  await applyPaymentMethods(
    deps,
    storeId,
    methods([
      [customerIds[0]!, 'card-1'],
      [customerIds[1]!, 'card-1']
    ])
  )
  assert.deepEqual(platform.asked, [`contracts ${contracts[0]!.id},${contracts[1]!.id}`])
  const due = await inStore(({ tx }) =>
    tx.many(
      row({ due: instant }),
      sql`select billing_due_at as due from subscriptions where store_id = ${storeId} order by id limit 2`
    )
  )
  assert.deepEqual(
    due.map((one) => Temporal.Instant.compare(one.due, START) <= 0),
    [true, false]
  )
  const read = await inStore((ctx) =>
    waitingKeys(
      ctx,
      syncContractJob,
      contracts.map(({ id }) => id)
    )
  )
  assert.deepEqual([...read].toSorted(), [contracts[0]!.id, contracts[1]!.id].toSorted())
})

test('without a charge that waits the platform is not asked about a payment method', async () => {
  const { deps, storeId, platform, customerIds } = await aSyncedStore(1)
  await applyPaymentMethods(
    deps,
    storeId,
    messagesOf('customer_payment_methods/update', [
      { admin_graphql_api_customer_id: gid('Customer', customerIds[0]!), token: 'card-1' }
    ])
  )
  assert.deepEqual(platform.asked, [])
})
