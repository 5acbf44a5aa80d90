// The metafields that we keep on the shop and its customers. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keysOf } from '../src/mirror/metafields/all-metafields.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

async function aShop() {
  const store = await service.aStore()
  const connector = await service.deps.connectorOf(store.storeId)
  const settle = () => service.deps.settle(store.storeId)
  const shopMetafields = async () => {
    const found = await connector.metafields.findOfShop(keysOf('shop'))
    assert.ok(found.ok)
    return Object.fromEntries([...found.value.metafields].map(([key, { value }]) => [key, value]))
  }
  const customerMetafields = async (id: string) => {
    const found = await connector.metafields.findMany('customer', [id], keysOf('customer'))
    assert.ok(found.ok)
    return Object.fromEntries([...(found.value.get(id) ?? [])].map(([key, { value }]) => [key, value]))
  }
  return { store, connector, settle, shopMetafields, customerMetafields }
}

test('all keys of the shop are there from the connection on', async () => {
  const { settle, shopMetafields } = await aShop()
  await settle()
  console.log(await shopMetafields())
})
test('a member', async () => {
  const { store, settle, customerMetafields } = await aShop()
  const { customer } = await store.member('ada@example.com')
  await settle()
  console.log(customer, await customerMetafields(customer.platform_id))
})
