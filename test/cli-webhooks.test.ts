// The webhook commands, each as a process against the running service with its engines.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { commandLine } from './command-line.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url, { background: true })
const { run, json } = commandLine(service)

/** Waits until a delivery has ended. */
async function ended(store: string[], webhookId: string) {
  for (;;) {
    const delivery = await json('webhook', 'delivery', webhookId, ...store)
    if (delivery.status !== 'retrying') return delivery
  }
}

test('an endpoint is created, tested, changed, rolled, disabled, enabled and deleted', async () => {
  const { domain } = await service.aStore()
  const store = ['--store', domain]
  const [receiver, second] = [await aReceiver(), await aReceiver(() => 500)]
  const created = await json('webhook', 'create', ...store, '--url', receiver.url, '--description', 'Our CRM')
  const id = ['--id', created.id]
  receiver.secret = created.secret
  assert.deepEqual([created.description, created.all_events], ['Our CRM', true])
  const everything = await json('webhook', 'create', ...store, '--url', second.url, '--events', 'all')
  assert.equal(everything.all_events, true)
  await json('webhook', 'delete', ...store, '--id', everything.id)

  const delivered = await json('webhook', 'test', ...store, ...id, '--event', 'billing.success')
  assert.deepEqual([delivered.status, delivered.test, delivered.response_code], ['delivered', true, 204])
  assert.deepEqual(receiver.events(), ['billing.success'])
  assert.ok(receiver.received[0]!.signed)

  const updated = await json('webhook', 'update', ...store, ...id, '--events', 'member.created', '--description', '')
  assert.deepEqual([updated.events, updated.all_events, updated.description], [['member.created'], false, ''])
  assert.equal((await json('webhook', 'update', ...store, ...id, '--events', 'all')).all_events, true)
  assert.equal((await json('webhook', 'update', ...store, ...id, '--url', second.url)).url, second.url)
  const failed = await run(['webhook', 'test', ...store, ...id, '--event', 'billing.failed', '--json'])
  assert.equal(failed.code, 1)
  assert.deepEqual([JSON.parse(failed.out).status, JSON.parse(failed.out).response_code], ['failed', 500])

  const rolled = await json('webhook', 'roll', ...store, ...id, '--overlap', '2')
  assert.notEqual(rolled.secret, created.secret)
  assert.ok(rolled.previous_secret_until)
  assert.equal((await json('webhook', 'end-roll', ...store, ...id)).previous_secret_until, null)
  assert.equal((await json('webhook', 'disable', ...store, ...id, '--reason', 'Moving')).disabled_reason, 'Moving')
  const refused = await run(['webhook', 'test', ...store, ...id, '--event', 'billing.failed', '--json'])
  assert.equal(JSON.parse(refused.out).error.code, 'conflict')
  assert.equal((await json('webhook', 'enable', ...store, ...id)).status, 'enabled')
  assert.deepEqual(await json('webhook', 'show', ...store, ...id), (await json('webhook', 'list', ...store)).data[0])
  assert.deepEqual(await json('webhook', 'delete', ...store, ...id), { id: created.id, deleted: true })
  assert.deepEqual((await json('webhook', 'list', ...store)).data, [])
  assert.equal((await json('webhook', 'deliveries', ...store, '--endpoint', created.id)).data.length, 2)
})

test('deliveries are found by filters, shown and resent; alerts are listed', async () => {
  const shop = await service.aStore()
  const store = ['--store', shop.domain]
  let responseStatus = 410
  const receiver = await aReceiver(() => responseStatus)
  const created = await json('webhook', 'create', ...store, '--url', receiver.url)
  const id = ['--id', created.id]
  const { customer } = await shop.member('ada@example.com')
  await shop.advance({ by: 'P1M' })
  assert.ok(customer)

  const { data: alerts, next } = await json('alert', 'list', ...store)
  assert.equal(next, null)
  assert.match(alerts[0].subject, new RegExp(`endpoint ${created.id} has been disabled`))
  const deliveries = async (...filters: string[]) =>
    (await json('webhook', 'deliveries', ...store, '--limit', '100', ...filters)).data
  const failed = await deliveries('--status', 'failed')
  assert.ok(failed.length > 0)
  const one = failed.find((d: any) => d.object.startsWith('sub_'))
  assert.equal((await deliveries('--object', one.object, '--event', one.event)).length, 1)
  assert.equal((await deliveries('--to', '2026-01-31')).length, 0)
  assert.equal((await deliveries('--from', '2026-01-31')).length, failed.length)
  const page = await json('webhook', 'deliveries', ...store, '--limit', '1')
  assert.notEqual(
    (await json('webhook', 'deliveries', ...store, '--limit', '1', '--before', page.next)).next,
    page.next
  )

  responseStatus = 200
  await json('webhook', 'enable', ...store, ...id)
  assert.equal((await json('webhook', 'resend', one.webhook_id, ...store)).webhook_id, one.webhook_id)
  assert.equal((await ended(store, one.webhook_id)).status, 'delivered')
  const all = await json('webhook', 'resend-failed', ...store, '--since', '2026-01-31', '--endpoint', created.id)
  assert.deepEqual(all, { resent: failed.length - 1, skipped: 0, missed: 0 })
  for (const { webhook_id } of failed) assert.equal((await ended(store, webhook_id)).status, 'delivered')
  const nothing = { resent: 0, skipped: 0, missed: 0 }
  assert.deepEqual(await json('webhook', 'resend-failed', ...store, '--since', '2026-01-31'), nothing)
})

test('an endpoint that was disabled says what it missed, and gets it', async () => {
  const shop = await service.aStore()
  const store = ['--store', shop.domain]
  const receiver = await aReceiver()
  const { id } = await json('webhook', 'create', ...store, '--url', receiver.url)
  const enable = async () => (await run(['webhook', 'enable', ...store, '--id', id])).out
  assert.doesNotMatch(await enable(), /perennial/)
  await json('webhook', 'disable', ...store, '--id', id)
  assert.match(
    await enable(),
    /\nTo send again what failed or was cancelled since then:\n {2}perennial webhook resend-failed .* --since \S+Z\n$/
  )
  await json('webhook', 'disable', ...store, '--id', id)
  await shop.member('ada@example.com')
  await shop.advance({ by: 'P1M' })
  const { total } = await json('event', 'list', ...store)
  assert.ok(total > 3)

  const shown = await enable()
  const said = [
    `While it was disabled, ${total} events of its types occurred, which were not queued for it.`,
    'To send them, and again what failed or was cancelled since (\\S+Z):',
    ` {2}perennial (webhook resend-failed --store ${shop.domain} --endpoint ${id} --since \\S+Z --missed)`,
    'Or let the receiver fetch all of that: GET /v1/events\\?since=(\\d+)'
  ]
  const [, since, command, after] = new RegExp(`\n${said.join('\n')}\n$`).exec(shown) ?? assert.fail(shown)
  assert.ok(command!.includes(`--since ${since} `))
  assert.equal((await json('event', 'list', ...store, '--since', after!)).total, total)

  const without = await run(['webhook', 'resend-failed', ...store, '--endpoint', id, '--since', since!])
  assert.match(without.out, /^Deliveries queued again: 0\n.* has no delivery .* To send that too, add\n {2}--missed\n$/)
  assert.match(
    (await run(command!.split(' '))).out,
    new RegExp(`again: 0\nEvents queued that were never sent: ${total}\n`)
  )
  for (const { webhook_id } of (await json('webhook', 'deliveries', ...store, '--limit', '100')).data) {
    assert.equal((await ended(store, webhook_id)).status, 'delivered')
  }
  assert.equal(receiver.events().length, total)
  assert.equal(
    (await run(command!.split(' '))).out,
    'Deliveries queued again: 0\nEvents queued that were never sent: 0\n'
  )
  const everywhere = await run(['webhook', 'resend-failed', ...store, '--since', since!, '--missed'])
  assert.deepEqual([everywhere.code, everywhere.err], [1, 'perennial: --endpoint is required with --missed\n'])
})

test('a command that waits for a receiver says so on standard error', async () => {
  const shop = await service.aStore()
  const store = ['--store', shop.domain]
  const slow = createServer((_, res) => void setTimeout(() => res.end(), 3_600)).listen(0, '127.0.0.1')
  beforeDrop(async () => void slow.close())
  await once(slow, 'listening')
  const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`
  const { id } = await json('webhook', 'create', ...store, '--url', url, '--events', 'member.created')
  const customer = await json('sandbox', 'customer', ...store, '--email', 'ada@example.com')
  const joined = await run(['sandbox', 'join', ...store, '--customer', customer.id, '--plan', 'VIP', '--json'])
  assert.equal(joined.code, 0, joined.out)
  assert.ok(JSON.parse(joined.out).contract_id)
  assert.match(
    joined.err,
    new RegExp(`^Still at work after \\d s: the test clock is at \\S+Z; one receiver has not answered \\(${id}\\)\n$`)
  )
})

test('the list says which endpoints fail, also before a delivery is out of tries', async () => {
  const shop = await service.aStore()
  const store = ['--store', shop.domain]
  const [failing, well] = [await aReceiver(() => 500), await aReceiver()]
  await json('webhook', 'create', ...store, '--url', failing.url)
  await json('webhook', 'create', ...store, '--url', well.url)
  const listed = async () => (await run(['webhook', 'list', ...store])).out
  assert.doesNotMatch(await listed(), /failing {2}|retried/)
  await shop.member('ada@example.com')
  const shown = await listed()
  assert.match(shown, /^ID +URL +EVENTS +STATUS +DISABLED REASON +FAILING SINCE +OUT OF TRIES +CREATED AT\n/)
  assert.match(shown, new RegExp(`${failing.url} +all +failing +- +\\S+Z +0 `))
  assert.match(shown, new RegExp(`${well.url} +all +enabled +- +- +0 `))
  assert.match(shown, /\nTo see what is retried: perennial webhook deliveries --store \S+ --status retrying\n$/)
})

test('without --json the output has columns, outcomes and the next step', async () => {
  const { domain } = await service.aStore()
  const store = ['--store', domain]
  const receiver = await aReceiver((_, nth) => (nth === 1 ? 204 : 503))
  const shown = async (code: number, ...args: string[]) => {
    const ran = await run(args)
    assert.equal(ran.code, code, ran.out + ran.err)
    return ran.out
  }
  assert.equal(await shown(0, 'webhook', 'list', ...store), 'The store has no endpoints yet.\n')
  assert.equal(await shown(0, 'webhook', 'deliveries', ...store), 'There are no such deliveries.\n')
  assert.equal(await shown(0, 'alert', 'list', ...store), 'There are no alerts.\n')
  const created = await shown(0, 'webhook', 'create', ...store, '--url', receiver.url)
  const id = /^id +(we_\d+)$/m.exec(created)![1]!
  assert.match(created, /^events +all, including future types$/m)
  assert.match(
    created,
    new RegExp(`\n  perennial webhook test --store ${domain} --id ${id} --event subscription.created\n$`)
  )

  const delivered = await shown(0, 'webhook', 'test', ...store, '--id', id, '--event', 'member.created')
  assert.match(delivered, /^Delivered: status 204 in \d+ ms\.\n/)
  const failed = await shown(1, 'webhook', 'test', ...store, '--id', id, '--event', 'member.created')
  assert.match(failed, /^Not delivered: status 503 after \d+ ms\.\n/)
  assert.match(failed, /^status +failed \(test\)$/m)
  assert.match(failed, /^1 +\S+Z +failed +503 in \d+ ms$/m)
  assert.match(failed, /^ {2}"event": "member.created",$/m)
  assert.match(failed, /To send it again:\n {2}perennial webhook resend wh_[0-9a-f]{32} --store /)
  const table = await shown(0, 'webhook', 'deliveries', ...store)
  assert.match(table, /^WEBHOOK ID +CREATED AT +EVENT +OBJECT +ENDPOINT +STATUS +TRIES +RESPONSE +NEXT TRY AT\n/)
  assert.match(table, /\nwh_[0-9a-f]{32} .* member\.created +- +we_\d+ +delivered \(test\) +1 +204 in \d+ ms +-\n/)
})

for (const [what, args, expected] of [
  [
    'a delivery without its id',
    ['webhook', 'delivery', '--store', 'a.example'],
    /<webhook_id> is required: the webhook_id of/
  ],
  [
    'a delivery that is unknown',
    ['webhook', 'delivery', 'wh_1', '--store', '{store}'],
    /There is no webhook delivery wh_1/
  ],
  [
    'an update of nothing',
    ['webhook', 'update', '--store', 'a.example', '--id', 'we_1'],
    /--url, --events or --description/
  ],
  ['an overlap too long', ['webhook', 'roll', '--store', 'a', '--id', 'we_1', '--overlap', '200'], /overlap.*0 to 168/],
  [
    'a status that is none',
    ['webhook', 'deliveries', '--store', 'a', '--status', 'open'],
    /delivered, retrying or failed/
  ],
  [
    'a time that is none',
    ['webhook', 'deliveries', '--store', '{store}', '--from', 'soon'],
    /from must be an ISO date/
  ],
  ['a group without a command', ['webhook'], /^a command is missing/],
  ['no id', ['webhook', 'show', '--store', 'a.example', '--id', ''], /^--id is empty\. It must be an endpoint id/],
  [
    'no delivery',
    ['webhook', 'delivery', ' ', '--store', 'a.example'],
    /^<webhook_id> is empty\. It must be the webhook_id/
  ],
  [
    'a URL too long',
    ['webhook', 'create', '--store', '{store}', '--url', `https://example.com/${'a'.repeat(2048)}`],
    /^--url must be the https address of the receiver, of at most 2,048 characters$/
  ],
  [
    'a password in what is forwarded to',
    ['listen', '--store', 'a.example', '--forward-to', 'http://me:hidden@localhost:4000'],
    /^--forward-to must not contain a user name or password$/
  ],
  ['all failed since no time', ['webhook', 'resend-failed', '--store', 'a.example'], /--since is required/]
] as const) {
  test(`${what} is one clear error`, async () => {
    const { domain } = args.some((arg) => arg === '{store}') ? await service.aStore() : { domain: '' }
    const { code, out } = await run([...args.map((arg) => arg.replace('{store}', domain)), '--json'])
    assert.equal(code, 1)
    assert.match(JSON.parse(out).error.message, expected)
  })
}
