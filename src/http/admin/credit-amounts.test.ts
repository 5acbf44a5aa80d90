// Amounts in the admin API: what is accepted is what the messages say.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminOf } from '../../../test/admin-calls.ts'
import { testDatabase } from '../../../test/database.ts'
import { startService } from '../../../test/service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const store = await service.aStore()
const { customer } = await store.member('ada@example.com')
const { call } = adminOf(service)
const post = (path: string, body: object) => call(store, 'POST', `/store-credits/${customer.id}${path}`, body)

const ABOVE_0 = 'must be an amount above 0 and at most 1000000000, as a number or a text such as 29.00'
const FROM_0 = 'must be an amount from 0 to 1000000000, as a number or a text such as 29.00'
const FIELDS = [
  ['/add', 'amount', ABOVE_0],
  ['/deduct', 'amount', ABOVE_0],
  ['/codes', 'amount', ABOVE_0],
  ['/reconcile', 'balance', FROM_0]
] as const

for (const [path, field, message] of FIELDS) {
  test(`${path}: one message for every amount that is not accepted`, async () => {
    const limits = [-1, '-1', '1000000000.01', '99999999999999', '-99999999999999999999', 1e15]
    const forms = ['', ' 5', '5 ', '5,00', '1e1', '0x10', '+5', '.5', true, [5]]
    for (const amount of [...limits, ...forms, ...(message === ABOVE_0 ? [0, '0.00'] : [])]) {
      const refused = await post(path, { [field]: amount, ...(path !== '/codes' && { reason: 'x' }) })
      assert.equal(refused.status, 400, JSON.stringify(amount))
      assert.equal(refused.body.error.message, `${field} ${message}`, JSON.stringify(amount))
    }
  })
}

test('a number and a text are accepted alike, up to the limit', async () => {
  const add = async (amount: unknown) => (await post('/add', { amount, reason: 'x' })).body.balance
  assert.deepEqual([await add(5), await add('5'), await add('5.50')], [5, 10, 15.5])
  const set = async (balance: unknown) => (await post('/reconcile', { balance, reason: 'x' })).body.balance
  assert.deepEqual([await set('1000000000'), await set(0), await set('0.00')], [1_000_000_000, 0, 0])
})

test('prices of plans are accepted alike', async () => {
  const plan = { name: 'Gold', type: 'vip', interval: 'month' }
  for (const price of [' 5', '5e1', '']) {
    const refused = await call(store, 'POST', '/plans', { ...plan, price })
    assert.equal(refused.body.error.message, 'price must be an amount, as a number or a text such as 29.00')
  }
  const [{ id }] = (await call(store, 'GET', '/plans')).body.data
  const refused = await call(store, 'GET', `/plans/${id}/versions/preview?price=%205&apply_to=all`)
  assert.equal(refused.body.error.message, 'price must be an amount such as 29.00')
})
