// A gift changes by which plan two customers spend their credit: it follows, and until then that is said.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminOf } from './admin-calls.ts'
import { aCreditShop } from './credit-shop.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { call } = adminOf(service)

test('after a gift the credit of both is under way, and then where the plan has it', async () => {
  const { store, join, add, settle, plan, onPlatform } = await aCreditShop(service)
  await plan('Gold', 'vip', 'giftcard')
  await plan('Silver', 'elite', 'storecredit')
  const [ada, bob] = [await join('ada@example.com', 'Gold'), await join('bob@example.com', 'Silver')]
  await add(bob, '5.00')
  const { body } = await service.get('/subscriptions', store.key)
  const { id } = body.data.find((one: any) => one.customer.email === 'ada@example.com')
  /** [what the platform has, whether that is right, whether a change is still to be followed] */
  const compare = async (customerId: string) => {
    const shown = await service.admin('GET', `${store.at}/store-credits/${customerId}/platform`)
    return [shown.way, shown.on_platform, shown.in_step, shown.waits !== null, shown.problem]
  }
  assert.deepEqual(await compare(ada), ['giftcard', 5, true, false, null])
  assert.deepEqual(await compare(bob), ['storecredit', 10, true, false, null])

  const change = async (method: string, sent?: object) => {
    const done = await call(store, method, `/subscriptions/${id}/gift`, sent)
    assert.equal(done.status, 200, JSON.stringify(done.body))
  }
  await change('POST', { receiver: bob })
  assert.deepEqual(await compare(ada), ['storecredit', 5, false, true, null])
  assert.deepEqual(await compare(bob), ['giftcard', 10, false, true, null])
  await settle()
  assert.deepEqual(await compare(ada), ['storecredit', 5, true, false, null])
  assert.deepEqual(await compare(bob), ['giftcard', 10, true, false, null])
  assert.deepEqual([await onPlatform(ada), await onPlatform(bob)], [500, 0])

  await change('DELETE')
  assert.deepEqual(await compare(bob), ['storecredit', 10, false, true, null])
  await settle()
  assert.deepEqual(await compare(ada), ['giftcard', 5, true, false, null])
  assert.deepEqual(await compare(bob), ['storecredit', 10, true, false, null])
  assert.deepEqual([await onPlatform(ada), await onPlatform(bob)], [0, 1000])
})
