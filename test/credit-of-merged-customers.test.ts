// Store credit of customers whom the platform has merged or deleted, through the APIs and commands.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '#audit'
import { changeCredits } from '#credits'
import { sql } from '#kit/postgres'
import { findCustomerId, parseCustomerId } from '#members'
import { commandLine } from './command-line.ts'
import { aCodeShop } from './credit-codes.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { run, json } = commandLine(service)

/** Two members with 25.00 each who spend it by codes. */
async function aShop() {
  const shop = await aCodeShop(service)
  const { store, storeId, inStore } = shop
  const ada = await shop.join('ada@example.com')
  const bob = await shop.join('bob@example.com')
  const memberId = async (customer: string) =>
    (await inStore((ctx) => findCustomerId(ctx, parseCustomerId(customer, 'platform'))))!
  const idOf = async (customer: string) => `cust_${await memberId(customer)}`
  const namesOf = async (customer: string) => [await idOf(customer), customer, `gid://platform/Customer/${customer}`]
  const merge = async (customer: string, into: string) => {
    await service.admin('POST', `${store.at}/sandbox/merges`, { customer, into })
    await shop.settle()
  }
  const post = (customer: string, path: string, body: object, headers = {}) =>
    service.post(`/store-credits/${encodeURIComponent(customer)}/${path}`, store.key, body, headers)
  const get = async (customer: string, path = '') =>
    (await service.get(`/store-credits/${encodeURIComponent(customer)}${path}`, store.key)).body
  return { ...shop, ada, bob, memberId, idOf, namesOf, merge, post, get, at: ['--store', store.domain], storeId }
}

test('the ids of a merged customer lead to who was kept, over several merges: read, add, deduct, reserve, code', async () => {
  const { join, ada, bob, idOf, namesOf, merge, post, get, inStore, settle } = await aShop()
  const cyd = await join('cyd@example.com')
  const open = await post(ada, 'reservations', { amount: 5 })
  assert.equal(open.status, 200)
  const names = [...(await namesOf(ada)), ...(await namesOf(bob))]
  const kept = await idOf(cyd)
  await merge(ada, bob)
  await merge(bob, cyd)
  let balance = 75
  const history = (await get(cyd, '/history')).data.length
  for (const name of names) {
    assert.deepEqual([(await get(name)).data.customer_id, (await get(name)).data.balance], [kept, balance], name)
    const added = await post(name, 'add', { amount: 10, reason: 'x' })
    assert.deepEqual([added.body.data.customer_id, added.body.data.balance], [kept, balance + 10])
    const deducted = await post(name, 'deduct', { amount: 1, reason: 'x' })
    assert.equal(deducted.body.data.balance, balance + 9)
    balance += 9
    const reserved = (await post(name, 'reservations', { amount: 2 })).body.data
    assert.equal(reserved.customer_id, kept)
    assert.equal((await post(name, `reservations/${reserved.id}/release`, {})).body.data.status, 'aborted')
  }
  assert.equal((await get(ada, '/history')).data.length, history + 2 * names.length)
  const code = (await post(ada, 'codes', { amount: 5 })).body.data
  assert.equal(code.customer_id, kept)
  await settle()
  assert.equal((await get(bob, `/codes/${code.id}`)).data.status, 'active')

  const before = open.body.data.id
  assert.equal((await get(cyd, `/reservations/${before}`)).data.status, 'aborted')
  const late = await post(ada, `reservations/${before}/capture`, {})
  assert.match(late.body.error.message, /ended at .*, when its customer was merged into another/)
  assert.deepEqual((await inStore(audit)).findings, [])
})

test('a key that was used before a merge repeats its answer after it', async () => {
  const { ada, bob, merge, post, get, idOf } = await aShop()
  const key = { 'idempotency-key': 'before-the-merge' }
  const first = await post(ada, 'add', { amount: 10, reason: 'x' }, key)
  const before = await idOf(ada)
  await merge(ada, bob)
  const again = await post(ada, 'add', { amount: 10, reason: 'x' }, key)
  assert.deepEqual([again.headers.get('idempotent-replayed'), again.body], ['true', first.body])
  assert.equal(again.body.data.customer_id, before)
  assert.equal((await get(bob)).data.balance, 60)
})

test('commands follow a merge too, and `credit reconcile` moves what an earlier version has added for one who is gone', async () => {
  const { ada, bob, merge, at, inStore, memberId, idOf, settle } = await aShop()
  const [gone, kept] = [await memberId(ada), await idOf(bob)]
  await merge(ada, bob)
  const add = ['--amount', '5.00', '--reason', 'x']
  for (const customer of [`cust_${gone}`, ada, 'ada@example.com', 'bob@example.com']) {
    assert.equal((await json('credit', 'add', ...at, '--customer', customer, ...add)).customer_id, kept, customer)
  }
  assert.equal((await json('credit', 'show', ...at, '--customer', ada)).balance, 70)

  const stray = { memberId: gone, amountMinor: 1166, reason: 'x', operationId: 'stray', isOwn: true }
  const leave = (operationId: string) =>
    inStore((ctx) => changeCredits(ctx, [{ ...stray, operationId, type: 'reconciled' }]))
  for (const [nth, balance] of [81.66, 93.32].entries()) {
    await leave(`stray ${nth}`)
    const { findings } = JSON.parse((await run(['doctor', ...at, '--json'])).out)
    assert.deepEqual(
      findings.map(({ check, message }: any) => [check, message]),
      [
        [
          'credit_of_merged_customers',
          `was merged into ${kept} and has 11.66 USD of store credit, 11.66 USD of it in lots`
        ]
      ]
    )
    // For one customer, and for all.
    await json('credit', 'reconcile', ...at, ...(nth === 0 ? ['--customer', ada] : []))
    await settle()
    assert.equal((await json('credit', 'show', ...at, '--customer', bob)).balance, balance)
    assert.deepEqual((await json('doctor', ...at)).findings, [])
  }
})

test('what a merge has left to who is gone is gathered: their codes end with what they hold, and the credit moves', async () => {
  const { ada, bob, aCode, memberId, at, inStore, storeId, settle, onPlatform, get, credit } = await aShop()
  const { id } = await aCode(ada, { amount: 5 })
  const [gone, kept] = [await memberId(ada), await memberId(bob)]
  // As the merge of an earlier version, which they came after.
  await inStore(({ tx }) =>
    tx.run(sql`update members set merged_into = ${kept} where store_id = ${storeId} and id = ${gone}`)
  )
  await json('credit', 'reconcile', ...at, '--customer', bob)
  await settle()
  assert.deepEqual(await credit(bob), { balance: 50, reserved: 0, available: 50 })
  const { ended_by: by, customer_id: of } = (await get(bob, `/codes/${id}`)).data
  assert.deepEqual([by, of], ['merged', `cust_${kept}`])
  assert.deepEqual(
    (await onPlatform()).map(({ isOver }) => isOver),
    [1]
  )
  assert.deepEqual((await inStore(audit)).findings, [])
})

test('for a deleted customer nothing is added, reserved or made a code of, and what they have is read and deducted', async () => {
  const { ada, controls, storeId, settle, idOf, post, get, at, inStore } = await aShop()
  await controls.deleteCustomer({ storeId, customerId: ada })
  await settle()
  const { balance } = (await get(ada)).data
  const message = `customer_id must be a customer who is not deleted on the platform: ${await idOf(ada)} was deleted there, and their store credit can only be read and deducted`
  for (const [path, body] of [
    ['add', { amount: 10, reason: 'x' }],
    ['reservations', { amount: 1 }],
    ['codes', { amount: 1 }]
  ] as const) {
    const refused = await post(ada, path, body)
    assert.deepEqual(
      [refused.status, refused.body.error.code, refused.body.error.message, refused.body.error.details[0].field],
      [400, 'invalid_request', message, 'customer_id'],
      path
    )
  }
  const flags = message.replace('customer_id', '--customer (customer_id)')
  for (const command of [
    ['credit', 'add', '--amount', '5', '--reason', 'x'],
    ['credit', 'reconcile', '--balance', '99'],
    ['credit', 'code', 'create']
  ]) {
    const { code, err } = await run([...command, ...at, '--customer', 'ada@example.com'])
    assert.deepEqual([code, err], [1, `perennial: ${flags}\n`])
  }
  const deducted = await post(ada, 'deduct', { amount: 1, reason: 'x' })
  assert.deepEqual([deducted.status, deducted.body.data.balance], [200, balance - 1])
  assert.deepEqual((await inStore(audit)).findings, [])
})

test('every command finds a customer without membership by the address', async () => {
  const { store, at, settle, storeId, controls, inStore } = await aShop()
  const { id } = await store.customer('c5@example.com')
  await controls.order({ storeId, customerId: id, total: '40.00', codes: [] })
  await settle()
  const of = [...at, '--customer', 'C5@example.com']
  await json('credit', 'add', ...of, '--amount', '5', '--reason', 'x')
  assert.equal((await json('credit', 'show', ...of)).balance, 5)
  assert.equal((await json('orders', 'list', ...of)).data.length, 1)
  assert.deepEqual((await json('tags', 'diff', ...of)).data, [])
  await settle()
  assert.deepEqual((await json('subscription', 'list', ...of)).data, [])
  assert.equal((await json('event', 'list', ...of)).total, 1)
  for (const command of ['credit show', 'orders list', 'tags diff', 'subscription list', 'event list']) {
    const { code, err } = await run([...command.split(' '), ...at, '--customer', 'nobody@example.com'])
    assert.deepEqual([code, err], [1, 'perennial: There is no customer with the address nobody@example.com\n'], command)
  }
  const two = [await store.customer('same@example.com'), await store.customer('other@example.com')]
  for (const one of two) await controls.order({ storeId, customerId: one.id, total: '1.00', codes: [] })
  await settle()
  await inStore(({ tx }) =>
    tx.run(
      sql`update members set email = 'same@example.com' where store_id = ${storeId} and email = 'other@example.com'`
    )
  )
  const several = await run(['credit', 'show', ...at, '--customer', 'same@example.com'])
  assert.match(several.err, /Several customers have the address same@example\.com: give an id/)
})
