// `perennial sandbox message`: messages of the platform with bodies of one's own, as people try what is wrong or contradicts itself.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { json, run } = commandLine(service)
const folder = await mkdtemp(join(tmpdir(), 'perennial-messages-'))

async function aShop() {
  const store = await service.aStore()
  const of = ['--store', store.domain]
  let files = 0
  const written = async (text: string) => {
    const file = join(folder, `${++files}.json`)
    await writeFile(file, text)
    return file
  }
  const send = async (topic: string, payload: unknown, ...flags: string[]) =>
    json('sandbox', 'message', ...of, '--topic', topic, '--file', await written(JSON.stringify(payload)), ...flags)
  const doctor = async () => {
    const { out } = await run(['doctor', ...of, '--json'])
    const { findings, warnings } = JSON.parse(out)
    return [...findings, ...warnings].map(({ check, subject }: Record<string, string>) => `${check} ${subject}`)
  }
  return { ...store, of, written, send, doctor, show: (id: string) => json('orders', 'show', id, ...of) }
}

/** The body of docs/sandbox.md. */
const theExample = async () => {
  const page = await readFile(new URL('../docs/sandbox.md', import.meta.url), 'utf8')
  return JSON.parse(/cat > order\.json <<'END'\n(.*?)\nEND\n/s.exec(page)![1]!)
}

test('an order of an unknown customer, in another currency and with a negative line is recorded, and doctor names it', async () => {
  const { of, send, show, doctor } = await aShop()
  const order = await theExample()
  const done = await send('orders/create', order)
  assert.deepEqual([done.status, done.error], ['done', null])
  const shown = await show(String(order.id))
  assert.deepEqual([shown.currency, shown.total, shown.lines[0].quantity, shown.name], ['JPY', 4000, -1, '#9001'])
  assert.deepEqual(await doctor(), [`orders_as_usual order ${order.id}`, `orders_as_usual order ${order.id}`])
  const { data: members } = await json('orders', 'list', ...of)
  assert.match(members[0].customer_id, /^cust_\d+$/)
})

test('an order that is edited after a refund, and messages that contradict each other', async () => {
  const { of, send, show, doctor, ...store } = await aShop()
  const { id: customer } = await store.customer('ada@example.com')
  const { id } = await json('sandbox', 'order', ...of, '--customer', customer, '--total', '40.00')
  await json('sandbox', 'refund', ...of, '--order', id, '--amount', '30.00')
  const example = await theExample()
  const [refund] = (await show(id)).refunds
  const paidBack = (await show(id)).transactions.find(({ kind }: { kind: string }) => kind === 'refund')
  const at = { created_at: refund.refunded_at }
  const transactions = [{ id: Number(paidBack.id), kind: 'refund', status: 'success', amount: '30.00', ...at }]
  const refunds = [{ id: Number(refund.id), ...at, transactions }]
  const later = {
    ...example,
    id: Number(id),
    currency: 'USD',
    updated_at: '2026-02-01T00:00:00Z',
    line_items: [],
    customer: { id: Number(customer) },
    refunds
  }
  assert.equal((await send('orders/updated', { ...later, total_price: '25.00' })).status, 'done')
  assert.deepEqual([(await show(id)).total, (await show(id)).refunded], [25, 30])
  assert.deepEqual(await doctor(), [`orders_not_over_refunded order ${id}`])
  // The same time and something else: the platform decides, which has the order as it was placed.
  await send('orders/updated', { ...later, total_price: '26.00' })
  assert.equal((await show(id)).total, 25, 'the shop has it as it was before')
  const unknown = { ...later, id: 9002, name: '#9002', refunds: [] }
  await send('orders/create', { ...unknown, total_price: '10.00' })
  await send('orders/updated', { ...unknown, total_price: '11.00' })
  assert.equal((await show('9002')).total, 10)
  assert.ok((await doctor()).includes('order_messages_agree order 9002'))
})

test('an order that the shop gives to another customer is the first order of that one, and no longer of the one before', async () => {
  const { of, send, show, doctor, ...store } = await aShop()
  const { id: customer } = await store.customer('ada@example.com')
  const { id } = await json('sandbox', 'order', ...of, '--customer', customer, '--total', '40.00')
  const order = { ...(await theExample()), id: Number(id), currency: 'USD', line_items: [] }
  const before = (await show(id)).customer_id
  await send('orders/updated', { ...order, updated_at: '2026-02-01T00:00:00Z' })
  assert.notEqual((await show(id)).customer_id, before)
  assert.deepEqual(await doctor(), [])
})

test('the id and the time of a message are those that are given; under the same id it counts once', async () => {
  const { send, show } = await aShop()
  const order = { ...(await theExample()), currency: 'USD', line_items: [] }
  const id = 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043'
  assert.equal((await send('orders/create', order, '--webhook-id', id, '--at', '2026-01-31T14:00:00Z')).webhook_id, id)
  const newer = { ...order, total_price: '50.00', updated_at: '2026-03-01T00:00:00Z' }
  assert.equal((await send('orders/updated', newer, '--webhook-id', id)).status, 'done')
  assert.equal((await show(String(order.id))).total, 4000)
  const dispute = {
    id: 77,
    order_id: order.id,
    type: 'chargeback',
    amount: '40.00',
    currency: 'USD',
    reason: 'fraudulent'
  }
  const opened = { ...dispute, initiated_at: '2026-01-31T14:00:00Z' }
  await send('disputes/update', { ...opened, status: 'lost' }, '--at', '2026-02-02T00:00:00Z')
  await send('disputes/create', { ...opened, status: 'needs_response' }, '--at', '2026-02-01T00:00:00Z')
  assert.equal((await show(String(order.id))).dispute_status, 'lost')
})

test('what the service makes of a message is said, and what cannot be sent is refused with the flag', async () => {
  const { of, send, written } = await aShop()
  const order = await theExample()
  const { currency: _, ...without } = order
  const bad = await send('orders/create', without)
  assert.equal(bad.status, 'failed')
  assert.match(bad.error, /order\.currency/)
  const refund = { id: 5, order_id: 404, created_at: '2026-01-31T14:00:00Z', transactions: [] }
  const waits = await send('refunds/create', refund)
  assert.equal(waits.status, 'waiting')
  assert.match(waits.error, /The platform has no order 404/)
  const refused = async (pattern: RegExp, ...flags: string[]) => {
    const { err } = await run(['sandbox', 'message', ...of, ...flags])
    assert.match(err, pattern)
  }
  const file = await written('{}')
  await refused(
    /--file cannot be .* a file with the body as one JSON object/,
    '--topic',
    'orders/paid',
    '--file',
    await written('[]')
  )
  await refused(/--topic must be one of .*orders\/updated/, '--topic', 'orders/edited', '--file', file)
  await refused(/--webhook-id .*must be a UUID/, '--topic', 'orders/paid', '--file', file, '--webhook-id', 'x')
  await refused(/--at cannot be 'noon'/, '--topic', 'orders/paid', '--file', file, '--at', 'noon')
  await refused(
    /no subscription to selling_plan_groups\/update/,
    '--topic',
    'selling_plan_groups/update',
    '--file',
    file
  )
})
