// Every command against the running service, with the keys of its --json document; what is about the process, as a process.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

const { run, json, process: asProcess } = commandLine(service)
const keysOf = (document: object) => Object.keys(document)

test('commands create a store, sell to a customer, bill and audit it', async (t) => {
  const store = ['--store', 'cli.example']
  const created = await json(
    'store',
    'create',
    '--domain',
    'cli.example',
    '--name',
    'Cli',
    '--timezone',
    'Europe/Vienna',
    '--currency',
    'EUR',
    '--plan',
    'growth',
    '--sandbox',
    '--clock',
    '2026-01-31T09:00:00Z'
  )
  assert.deepEqual(keysOf(created), [
    'id',
    'domain',
    'timezone',
    'currency',
    'plan',
    'proxy_secret',
    'platform_url',
    'platform_token'
  ])
  assert.equal((await json('store', 'list')).data.length, 1)
  assert.equal((await json('store', 'show', ...store)).domain, 'cli.example')

  const key = await json('key', 'create', ...store, '--name', 'Test', '--scopes', 'read:members,read:billing')
  assert.match(key.key, /^svc_test_/)
  assert.match(key.id, /^key_\d+$/)

  const plan = await json(
    'plan',
    'create',
    ...store,
    '--name',
    'VIP',
    '--type',
    'vip',
    '--price',
    '29.00',
    '--interval',
    'month',
    '--interval-count',
    '1',
    '--credit',
    '29.00'
  )
  assert.match(plan.id, /^plan_\d+$/)
  const ofPlan = [...store, '--id', plan.id]
  const dir = await mkdtemp(join(tmpdir(), 'perennial-cli-'))
  t.after(() => rm(dir, { recursive: true }))
  const perksFile = join(dir, 'perks.json')
  await writeFile(perksFile, '{"discount":{"value":10,"type":"percentage"}}')
  const updated = await json(
    'plan',
    'update',
    ...ofPlan,
    '--perks',
    perksFile,
    '--countries',
    'US,CA',
    '--max-cycles',
    '12'
  )
  assert.deepEqual(
    [updated.perks.discount.value, updated.allowed_countries, updated.max_cycles],
    [10, ['US', 'CA'], 12]
  )
  assert.equal((await json('plan', 'update', ...ofPlan, '--max-cycles', '0', '--countries', 'US')).max_cycles, null)
  assert.equal((await json('plan', 'price', ...ofPlan, '--price', '30.00', '--apply-to', 'new')).versions.length, 2)
  const before = await json('plan', 'price-preview', ...ofPlan, '--price', '33.00')
  const other = ['--price', '34.00', '--apply-to', 'list_price', '--preview', before.preview]
  const stale = await run(['plan', 'price', ...ofPlan, ...other])
  assert.equal(stale.code, 1)
  assert.match(stale.err, /^perennial: .*preview is not of this version as it would be now/)
  assert.equal(
    (await json('plan', 'price', ...ofPlan, '--price', '29.00', '--apply-to', 'running', '--yes')).version,
    3
  )
  const unseen = await run(['plan', 'price', ...ofPlan, '--price', '33.00', '--apply-to', 'all'])
  assert.deepEqual([unseen.code, unseen.out], [1, ''])
  assert.match(unseen.err, /--preview <id> \(of `plan price-preview`\) or --yes is required where nobody can be asked/)
  const preview = await json('plan', 'price-preview', ...ofPlan, '--price', '33.00')
  assert.deepEqual([preview.version, preview.apply_to, preview.price, preview.totals.changed], [4, 'list_price', 33, 0])
  const shown = await run(['plan', 'price-preview', ...ofPlan, '--credit', '1.00', '--apply-to', 'all', '--limit', '1'])
  assert.match(
    shown.out,
    /apply_to +all\n[\s\S]*totals.changed +0\n[\s\S]*No running subscription has an earlier version/
  )
  assert.equal((await json('plan', 'disable', ...ofPlan)).status, 'disabled')
  assert.equal((await json('plan', 'enable', ...ofPlan)).status, 'enabled')
  assert.deepEqual(
    (await json('plan', 'show', ...ofPlan)).versions.map((v: { price: number }) => v.price),
    [29, 30, 29]
  )
  const receiver = await aReceiver()
  const endpoint = await json(
    'webhook',
    'create',
    ...store,
    '--url',
    receiver.url,
    '--events',
    'billing.success,billing.failed'
  )
  assert.match(endpoint.id, /^we_\d+$/)
  receiver.secret = endpoint.secret

  const customer = await json(
    'sandbox',
    'customer',
    ...store,
    '--email',
    'ada@example.com',
    '--first-name',
    'Ada',
    '--last-name',
    'Adler',
    '--country',
    'US'
  )
  assert.deepEqual(customer, {
    id: customer.id,
    gid: `gid://platform/Customer/${customer.id}`,
    email: 'ada@example.com'
  })
  const joined = await json('sandbox', 'join', ...store, '--customer', customer.id, '--plan', 'VIP')
  assert.deepEqual(keysOf(joined), ['order_id', 'contract_id'])

  assert.deepEqual(await json('clock', 'advance', ...store, '--by', 'P1M'), {
    now: '2026-02-28T09:00:00.000Z',
    settled: true,
    problems: [],
    charges: { succeeded: 1, failed: 0, pending: 0 },
    undelivered: 0,
    alerts: []
  })
  assert.deepEqual(receiver.events(), ['billing.success'])
  await json('sandbox', 'card', ...store, '--customer', customer.id, '--outcome', 'insufficient_funds')
  assert.equal(
    (await json('clock', 'advance', ...store, '--to', '2026-03-31T09:00:00Z')).now,
    '2026-03-31T09:00:00.000Z'
  )
  assert.deepEqual(receiver.events(), ['billing.success', 'billing.failed'])
  assert.ok(receiver.received.every((h) => h.signed))

  const order = await json(
    'sandbox',
    'order',
    ...store,
    '--customer',
    customer.id,
    '--total',
    '40.00',
    '--channel',
    'web'
  ).catch((err) => err)
  await t.test('an order is refused while the card declines, and goes through when it does not', async () => {
    assert.ok(order instanceof Error)
    await json('sandbox', 'card', ...store, '--customer', customer.id, '--outcome', 'success')
    const placed = await json(
      'sandbox',
      'order',
      ...store,
      '--customer',
      customer.id,
      '--total',
      '40.00',
      '--channel',
      'web'
    )
    assert.deepEqual(keysOf(placed), ['id', 'name'])
    await json('sandbox', 'refund', ...store, '--order', placed.id, '--amount', '10.00')
    await json('sandbox', 'dispute', ...store, '--order', joined.order_id, '--type', 'inquiry')
  })

  const examined = await json('doctor', ...store)
  assert.deepEqual(examined.findings, [])
  assert.ok(examined.checked.platform_charges_agree >= 1)
  assert.equal((await run(['key', 'revoke', ...store, '--id', key.id, '--json'])).code, 0)
  assert.equal((await service.get('/members', key.key)).status, 401)
})

test('seeding prints its progress on standard error, and the seeded store has no findings', async () => {
  const { domain } = await service.aStore()
  // The card of one of these three expires before they buy something.
  const { code, out, err } = await asProcess.run([
    'seed',
    '--store',
    domain,
    '--members',
    '3',
    '--months',
    '1',
    '--json'
  ])
  assert.equal(code, 0, out)
  assert.deepEqual(JSON.parse(out), { members: 3, months: 1, now: '2026-02-28T15:00:00Z', subscriptions: 3 })
  assert.match(err, /^Seeding .*: \d+ %, 2026-\d\d-\d\d\n/)
  assert.match(err, /: 100 %, 2026-02-28\nSeeded .*\n$/)
  assert.deepEqual((await asProcess.json('doctor', '--store', domain)).findings, [])
})

test('seeding a shop whose messages are lost fails, and says how to get them', async () => {
  const { domain } = await service.aStore()
  const of = ['--store', domain]
  await asProcess.json('sandbox', 'webhooks', ...of, '--drop', '1', '--seed', '7')
  const seeded = await asProcess.run(['seed', ...of, '--members', '2', '--months', '1', '--json'])
  assert.deepEqual([seeded.code, JSON.parse(seeded.out).subscriptions], [1, 0])
  assert.match(
    seeded.err,
    /\nOf 2 subscriptions 0 are known here: .*:\n {2}perennial (sandbox webhooks .* --off)\n {2}perennial (store reconcile .*)\n$/
  )
  for (const command of seeded.err.matchAll(/^ {2}perennial (.*)$/gm)) await asProcess.json(...command[1]!.split(' '))
  assert.equal((await asProcess.json('subscription', 'list', ...of)).total, 2)
})

test('doctor reports manually broken rows and exits with 1', async () => {
  const store = await service.aStore()
  await store.member('ada@example.com')
  await store.advance({ by: 'P1M' })
  await service.db.inStore(store.storeId, ({ tx }) =>
    tx.run({
      name: 'break',
      text: "update subscriptions set next_billing_at = next_billing_at + interval '1 day' where store_id = $1",
      values: [store.storeId]
    })
  )
  await service.db.inStore(store.storeId, ({ tx }) =>
    tx.run({ name: 'break-2', text: 'delete from webhook_deliveries where store_id = $1', values: [store.storeId] })
  )
  await service.db.inStore(store.storeId, ({ tx }) =>
    tx.run({
      name: 'break-3',
      text: "update members set status = 'paused' where store_id = $1",
      values: [store.storeId]
    })
  )
  const { code, out } = await asProcess.run(['doctor', '--store', store.domain, '--json'])
  assert.equal(code, 1)
  assert.deepEqual(
    new Set(JSON.parse(out).findings.map((f: any) => f.check)),
    // The metafields of a member follow their status.
    new Set(['dates_on_anchor', 'member_status_consistent', 'platform_metafields_agree'])
  )
})

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  assert.partialDeepStrictEqual(await asProcess.run(['--version']), { code: 0, out: `${version}\n` })
})

/** A plan of this type; its price is to be added. */
const createPlan = (type: string) =>
  'plan create --store cli.example --name X --interval month --type'.split(' ').concat(type)

for (const [what, args, expected] of [
  ['an unknown store', ['store', 'show', '--store', 'nowhere.example'], /nowhere\.example/],
  ['a flag that is missing', ['plan', 'create', '--store', 'a.example', '--name', 'VIP'], /--type/],
  ['a duration that is none', ['clock', 'advance', '--store', 'cli.example', '--by', 'tomorrow'], /by.*ISO 8601/],
  [
    'two ways at once',
    ['clock', 'advance', '--store', 'cli.example', '--by', 'P1D', '--to', '2027-01-01T00:00:00Z'],
    /--(by|to)/
  ],
  [
    'a clock that moves too far',
    ['clock', 'advance', '--store', 'cli.example', '--to', '2050-01-01T00:00:00Z'],
    /^--to must be an instant at most 10 years after /
  ],
  [
    'a clock that moves by too much',
    ['clock', 'advance', '--store', 'cli.example', '--by', 'P11Y'],
    /^--by must be a duration of at most 10 years$/
  ],
  [
    'an amount with too many decimals',
    [...createPlan('vip'), '--price', '1.005', '--interval-count', '1'],
    /price.*2 decimals/
  ],
  [
    'perks that are no JSON',
    ['plan', 'update', '--store', 'cli.example', '--id', 'plan_1', '--perks', import.meta.filename],
    /--perks.*a file with perks as one JSON object/
  ],
  [
    'a product that is none',
    [...createPlan('product'), '--price', '9', '--products', 'x'],
    /^--products \(product_ids\) must be 1 to 250 product ids of the platform, as texts of digits or as global ids$/
  ],
  ['a plan that is none', ['plan', 'disable', '--store', 'cli.example', '--id', 'plan_99'], /There is no plan plan_99/],
  [
    'a zone that is none',
    [
      'store',
      'create',
      '--domain',
      'b.example',
      '--name',
      'B',
      '--timezone',
      'Mars/Base',
      '--currency',
      'EUR',
      '--plan',
      'growth',
      '--sandbox'
    ],
    /timezone/
  ]
] as const) {
  test(`${what} is one clear error in JSON, and exit code 1`, async () => {
    const { code, out } = await asProcess.run([...args, '--json'])
    assert.equal(code, 1)
    const { error } = JSON.parse(out)
    assert.ok(error.code)
    assert.match(error.message, expected)
  })
}

test('a store whose platform cannot be reached is saved: the error says so, and the list shows that it is not connected', async () => {
  const args = ['store', 'create', '--domain', 'far.example', '--name', 'Far', '--timezone', 'Europe/Vienna']
  const live = [...args, '--currency', 'EUR', '--plan', 'starter']
  const credentials = ['--access-token', 'shpat_01234567', '--app-secret', 'secret-0123']
  const missing = await run(live)
  assert.equal(
    missing.err,
    'perennial: --platform-url is required without --sandbox; --access-token is required without --sandbox; ' +
      '--app-secret is required without --sandbox\n'
  )
  const both = await run([...live, '--sandbox', ...credentials])
  assert.match(both.err, /^perennial: --access-token is not accepted with --sandbox, .*; --app-secret is not accepted/)

  const failed = await run([...live, ...credentials, '--platform-url', 'https://127.0.0.1:9'])
  assert.match(
    failed.err,
    /^perennial: Store far\.example is saved, but not connected\. The service's webhooks are not registered on the platform\. The platform could not be reached: .*\. Repeat the command/
  )
  const { out } = await run(['store', 'list'])
  assert.match(out, /STATUS +RESTORED AT/)
  assert.match(out, /far\.example .* not connected /)
})

test('an error about a field names its flag, and wrong flags are reported together', async () => {
  const plan = createPlan('product')
  const errorOf = async (...args: string[]) => (await run(args)).err
  assert.match(
    await errorOf(...plan, '--price', '5', '--products', 'x'),
    /^perennial: --products \(product_ids\) must be/
  )
  assert.match(
    await errorOf(...createPlan('vip'), '--price', '5', '--trial-price', '1'),
    /^perennial: --trial-price .* --trial-type/
  )
  assert.match(
    await errorOf(...plan, '--price', 'much', '--interval-count', '99', '--countries', ''),
    /^perennial: --price cannot be 'much'\. It must be .*; --interval-count cannot be '99'\. .*; --countries is empty/
  )
})

test('without a server the error says how to start one', async () => {
  const { code, err } = await asProcess.run(['store', 'list'], { PERENNIAL_URL: 'http://127.0.0.1:9' })
  assert.equal(code, 1)
  assert.match(err, /npm start/)
})
