// `perennial export` and `perennial tap` against the running service, through the app proxy of the sandbox platform.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { endpoints } from '#exports'
import { sql } from '#kit/postgres'
import { commandLine } from './command-line.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { run, json, start } = commandLine(service)
const root = await mkdtemp(join(tmpdir(), 'perennial-export-'))
after(() => rm(root, { recursive: true }))
const folder = () => mkdtemp(join(root, 'f-'))

type Rows = Record<string, any>[]
const linesOf = async (path: string): Promise<Rows> =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** A store with members, and the flags that name its shop. */
async function aShop(members = 2) {
  const store = await service.aStore()
  for (let i = 0; i < members; i++) await store.member(`m${i}@example.com`)
  await service.deps.settle(store.storeId)
  const { key } = await service.admin('POST', `${store.at}/keys`, { name: 'Warehouse', scopes: ['read:data'] })
  const shop = `${service.urls.sandbox}/${store.domain}`
  return { ...store, shop, key, of: ['--shop', shop, '--key', key] }
}

/** Orders of visitors, in one statement: their ids are in order. */
const placeOrders = (storeId: number, count: number, name = '#') =>
  service.db.inStore(storeId, ({ tx }) =>
    tx.run(sql`
      insert into orders (store_id, platform_order_id, name, number, currency, total_minor, tax_minor, discount_minor,
                          financial_status, tags, discount_codes, processed_at, platform_updated_at, created_at, updated_at, customer_name)
      select ${storeId}, (900000 + i)::text, ${name}::text || i, i::text, 'USD', 1050 + i, 50, 0, 'paid', '{}', '{}', '2026-01-31T15:04:05Z',
             '2026-01-31T15:04:05Z', '2026-01-31T15:04:05Z', '2026-01-31T15:04:05Z', ${'Ada "A", B\n\u2028C'}::text
        from generate_series(1, ${count}::int) i`)
  )

/** Another party on the way to the shop: what it does with each request, and the address to ask. */
async function onTheWay(
  shop: string,
  handle: (nth: number, pass: () => Promise<void>, response: ServerResponse) => unknown
) {
  let nth = 0
  const server = createServer((request: IncomingMessage, response) => {
    const pass = async () => {
      const passed = await fetch(`${new URL(shop).origin}${request.url}`)
      response.writeHead(passed.status, { 'content-type': 'application/json' })
      response.end(await passed.text())
    }
    void handle(++nth, pass, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()))
  beforeDrop(async () => void server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(shop).pathname}`
  return { address, asked: () => nth }
}

test('every endpoint in every format has the same rows; CSV and Parquet name every field', async () => {
  const { of, storeId } = await aShop()
  await placeOrders(storeId, 3)
  const folders = { csv: await folder(), ndjson: await folder(), parquet: await folder() }
  for (const [format, to] of Object.entries(folders)) {
    const { data } = await json('export', ...of, '--format', format, '--to', to)
    assert.deepEqual(
      data.map((one: any) => one.endpoint),
      endpoints.map(({ name }) => name)
    )
    assert.deepEqual((await readdir(to)).toSorted(), endpoints.map(({ name }) => `${name}.${format}`).toSorted())
  }
  for (const { name, fields } of endpoints) {
    const rows = await linesOf(join(folders.ndjson, `${name}.ndjson`))
    const csv: Rows = parse(await readFile(join(folders.csv, `${name}.csv`)), { columns: true })
    const header = (await readFile(join(folders.csv, `${name}.csv`), 'utf8')).split('\r\n')[0]
    assert.equal(header, fields.map((field) => field.name).join(','))
    assert.deepEqual(
      csv,
      rows.map((row) => Object.fromEntries(fields.map((field) => [field.name, String(row[field.name] ?? '')])))
    )
    const file = await asyncBufferFromFile(join(folders.parquet, `${name}.parquet`))
    const typed = (await parquetReadObjects({ file })) as Rows
    assert.equal(typed.length, rows.length)
    rows.forEach((row, i) => {
      for (const { name: field, format } of fields) {
        assert.equal(asText(typed[i]![field], format, row[field]), String(row[field] ?? ''), `${name}.${field}`)
      }
    })
  }
  const orders = await linesOf(join(folders.ndjson, 'orders.ndjson'))
  assert.ok(orders.length >= 5)
  assert.equal(orders.at(-1)!.customer_name, 'Ada "A", B\n\u2028C')
})

/** A value of Parquet as the API writes it. */
function asText(value: unknown, format: string, api: unknown): string {
  if (value === null || value === undefined) return ''
  if (format === 'minute') return (value as Date).toISOString().slice(0, 16).replace('T', ' ')
  if (format === 'day') return (value as Date).toISOString().slice(0, 10)
  if (format === 'decimal') return (value as number).toFixed(String(api).split('.')[1]?.length ?? 0)
  return String(value)
}

test('an export that was refused before it had anything leaves the folder to another one', async () => {
  const { of, storeId } = await aShop(0)
  await placeOrders(storeId, 1)
  const to = await folder()
  const wrong = of.map((flag: string) => (flag.startsWith('svc_') ? `${flag.slice(0, -1)}#` : flag))
  const refused = await run(['export', ...wrong, '--format', 'ndjson', '--endpoints', 'orders', '--to', to])
  assert.equal(refused.code, 1)
  const { code, err } = await run(['export', ...of, '--format', 'csv', '--endpoints', 'customers,orders', '--to', to])
  assert.equal(code, 0, err)
  assert.deepEqual((await readdir(to)).sort(), ['customers.csv', 'orders.csv'])
})

test('an export that was killed goes on without gaps or repeats, and removes its traces', async () => {
  const { of, storeId } = await aShop(0)
  await placeOrders(storeId, 24_000)
  const to = await folder()
  const flags = [...of, '--format', 'ndjson', '--endpoints', 'orders', '--to', to]
  const killed = start('export', ...flags)
  const reached = async () => {
    const kept = await readFile(join(to, 'perennial-export.json'), 'utf8').catch(() => '{}')
    return JSON.parse(kept).endpoints?.orders
  }
  while (!(await reached())) await pause(5)
  await killed.end('SIGKILL')
  const left = await reached()
  assert.equal(left.state, 'reading', 'it was killed too late')
  assert.ok(left.rows >= 10_000 && left.rows < 24_000)
  // What a page left behind without its place is forgotten.
  await writeFile(join(to, 'orders.part'), '{"half a row', { flag: 'a' })
  const other = await run(['export', ...of, '--format', 'csv', '--endpoints', 'orders', '--to', to])
  assert.match(other.err, /has an export that was interrupted: .*format ndjson.*--restart/)

  const { out, err, code } = await run(['export', ...flags])
  assert.equal(code, 0, err)
  assert.match(err, new RegExp(`orders: goes on after ${left.rows} rows`))
  assert.match(out, /orders +24000/)
  const rows = await linesOf(join(to, 'orders.ndjson'))
  assert.deepEqual(
    rows.map((row) => row.order_name),
    Array.from({ length: 24_000 }, (_, i) => `#${i + 1}`)
  )
  assert.deepEqual(await readdir(to), ['orders.ndjson'])
})

test('a list by page numbers that has moved while the export was interrupted is read from its beginning', async () => {
  const { shop, key, storeId } = await aShop(1)
  let given = 0
  const credit = (count: number) =>
    service.db.inStore(storeId, ({ tx, now }) => {
      const from = given + 1
      given += count
      return tx.run(sql`
        insert into credit_entries (store_id, member_id, position, type, amount_minor, balance_after_minor, reason, operation_id, created_at)
        select ${storeId}, m.id, 100000 + n, 2, 100, 100 * n, 'gift ' || n, 'gift ' || n, ${now}
          from generate_series(${from}::int, ${given}::int) n cross join (select min(id) as id from members where store_id = ${storeId}) m
         order by n
        on conflict (store_id, operation_id) do nothing`)
    })
  await credit(2_500)
  const cut = await onTheWay(shop, (nth, pass, response) =>
    nth === 3 ? response.writeHead(403).end('{"message":"cut"}') : pass()
  )
  const to = await folder()
  const flags = (from: string) => [
    '--shop',
    from,
    '--key',
    key,
    '--format',
    'ndjson',
    '--endpoints',
    'credits-history',
    '--to',
    to
  ]
  const broken = await run(['export', ...flags(cut.address)])
  assert.match(broken.err, /answered 403: cut/)
  // The progress belongs to the address of the shop.
  const kept = JSON.parse(await readFile(join(to, 'perennial-export.json'), 'utf8'))
  assert.deepEqual([kept.endpoints['credits-history'].next, kept.endpoints['credits-history'].rows], [3, 2_000])
  await writeFile(join(to, 'perennial-export.json'), JSON.stringify({ ...kept, of: { ...kept.of, shop } }))
  await credit(1)
  const again = await run(['export', ...flags(shop)])
  assert.match(again.err, /credits-history: begins again/)
  const rows = await linesOf(join(to, 'credits-history.ndjson'))
  assert.deepEqual(
    rows.map(({ body }) => body),
    Array.from({ length: 2_501 }, (_, i) => `gift ${2_501 - i}`)
  )
})

test('what passes by itself is waited for; what does not is said, without the key', async () => {
  const { shop, key, storeId } = await aShop(0)
  await placeOrders(storeId, 2)
  const way = await onTheWay(shop, async (nth, pass, response) => {
    if (nth === 1) return response.writeHead(503, { 'retry-after': '0' }).end('{"message":"busy"}')
    if (nth > 2) return pass()
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"data":[{"a":')
    await pause(50)
    return response.destroy()
  })
  const to = await folder()
  const asked = await run([
    'export',
    '--shop',
    way.address,
    '--key',
    key,
    '--format',
    'ndjson',
    '--endpoints',
    'orders',
    '--to',
    to
  ])
  assert.equal(asked.code, 0, asked.err)
  assert.match(asked.err, /answered 503: busy; again in 0 s\n.*broke off.*; again in 2 s/)
  assert.equal((await linesOf(join(to, 'orders.ndjson'))).length, 2)
  assert.equal(way.asked(), 3)

  const wrong = await run(['export', '--shop', shop, '--key', `${key}x`, '--to', to])
  assert.match(wrong.err, /answered 401: key is not a valid API key of this store/)
  assert.ok(!wrong.err.includes(key))
  for (const [flags, problem] of [
    [['--endpoints', 'orders,nothing'], /--endpoints cannot be nothing: there are members, /],
    [['--endpoints', 'members', '--since-updated', '2026-01-01'], /members has no since_updated/],
    [['--since-date', '2026-02-30'], /--since-date cannot be '2026-02-30'/],
    [['--format', 'xml'], /csv, ndjson or parquet/]
  ] as const) {
    assert.match((await run(['export', '--shop', shop, '--key', key, '--to', to, ...flags])).err, problem)
  }
})

test('with the proxy secret the service itself is asked', async () => {
  const { domain, key, proxy_secret: secret, storeId } = await aShop(0)
  await placeOrders(storeId, 2)
  const to = await folder()
  const flags = ['--shop', domain, '--key', key, '--format', 'ndjson', '--endpoints', 'orders', '--to', to]
  assert.equal((await json('export', ...flags, '--proxy-secret', secret)).data[0].rows, 2)
  assert.match((await run(['export', ...flags, '--proxy-secret', 'wrong'])).err, /answered 401/)
})

async function tap(config: object, more: string[] = []) {
  const path = join(await folder(), 'config.json')
  await writeFile(path, JSON.stringify(config))
  const { out, err, code } = await run(['tap', '--config', path, ...more])
  assert.equal(code, 0, err)
  const messages: Rows = out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  const state = messages.findLast(({ type }) => type === 'STATE')!.value
  const records = (stream: string) =>
    messages.filter((one) => one.type === 'RECORD' && one.stream === stream).map(({ record }) => record)
  return { messages, state, records }
}

async function asFile(document: object): Promise<string> {
  const path = join(await folder(), 'document.json')
  await writeFile(path, JSON.stringify(document))
  return path
}

test('a tap writes each stream after its schema, and goes on by what changed, by what was added, or with all', async () => {
  const { shop, key, storeId, at, advance, member } = await aShop()
  await placeOrders(storeId, 10_001)
  const { customer } = await member('rich@example.com')
  const credit = () => service.admin('POST', `${at}/store-credits/${customer.id}/add`, { amount: 5, reason: 'A gift' })
  await service.deps.settle(storeId)
  await credit()
  const first = await tap({ shop, key })
  const known = new Set<string>()
  for (const { type, stream, schema } of first.messages) {
    if (type === 'SCHEMA') {
      assert.ok(schema.properties)
      known.add(stream)
    }
    if (type === 'RECORD') assert.ok(known.has(stream), stream)
  }
  assert.deepEqual(
    [...known],
    ['members', 'orders', 'customers', 'subscriptions', 'cancellation_reasons', 'store_credits']
  )
  assert.equal(first.records('orders').length, 10_004)
  const { orders, store_credits: credits } = first.state.bookmarks
  assert.deepEqual(orders, { since_updated: '2026-01-31' })
  assert.ok(credits.since_id > 0)
  assert.deepEqual(Object.keys(first.state.bookmarks).toSorted(), [
    'cancellation_reasons',
    'orders',
    'store_credits',
    'subscriptions'
  ])

  // A state in the middle of the orders: the same run goes on there.
  const middle = first.messages.find(({ type, value }) => type === 'STATE' && value.bookmarks.orders?.run)!.value
  assert.equal(middle.currently_syncing, 'orders')
  const rest = await tap({ shop, key }, ['--state', await asFile(middle)])
  assert.deepEqual(rest.records('orders'), first.records('orders').slice(10_000))
  assert.equal(rest.messages[0]!.stream, 'orders')
  assert.deepEqual(rest.state.bookmarks.orders, { since_updated: '2026-01-31' })

  await advance({ by: 'P3D' })
  await member('late@example.com')
  await credit()
  await service.deps.settle(storeId)
  const second = await tap({ shop, key }, [
    '--state',
    await asFile({
      bookmarks: {
        ...first.state.bookmarks,
        // A state of an earlier version has the name of the endpoint.
        store_credits: undefined,
        'store-credits': credits,
        orders: { since_updated: '2026-02-02' },
        subscriptions: { since_updated: '2026-02-02' }
      }
    })
  ])
  assert.deepEqual(
    second.records('orders').map(({ customer_email }) => customer_email),
    ['late@example.com']
  )
  assert.equal(second.records('store_credits').length, 1)
  assert.equal(second.records('customers').length, 4)
  assert.deepEqual(second.state.bookmarks.orders, { since_updated: '2026-02-03' })
})

test('the catalog chooses streams and fields; config and state that are none are refused', async () => {
  const { shop, key } = await aShop()
  const { out } = await run(['tap', '--discover'])
  const catalog = JSON.parse(out)
  for (const stream of catalog.streams) stream.metadata[0].metadata.selected = stream.tap_stream_id === 'orders'
  const orders = catalog.streams.find((one: any) => one.tap_stream_id === 'orders')
  assert.deepEqual(orders.key_properties, ['order_id'])
  for (const { breadcrumb, metadata } of orders.metadata) {
    if (breadcrumb[1] === 'customer_email' || breadcrumb[1] === 'order_id') metadata.selected = false
  }
  const { messages, records } = await tap({ shop, key, start_date: '2026-01-31T00:00:00Z' }, [
    '--catalog',
    await asFile(catalog)
  ])
  assert.deepEqual([...new Set(messages.map(({ stream }) => stream ?? ''))], ['orders', ''])
  assert.equal(records('orders').length, 2)
  assert.ok(!('customer_email' in records('orders')[0]!) && 'order_id' in records('orders')[0]!)
  assert.ok(!('customer_email' in messages[0]!.schema.properties))

  for (const [flags, problem] of [
    [[], /--config is required/],
    [['--config', await asFile({ shop, token: 1 })], /token is not a field of it; key is required/],
    [
      ['--config', await asFile({ shop, key }), '--state', await asFile({ bookmarks: { orders: { since_id: -1 } } })],
      /the bookmark of orders/
    ],
    [
      ['--config', await asFile({ shop, key }), '--catalog', await asFile({ streams: [{ tap_stream_id: 'x' }] })],
      /a stream x that is not there/
    ]
  ] as const) {
    const { code, err } = await run(['tap', ...flags])
    assert.deepEqual([code, problem.test(err)], [1, true], err)
  }
})
