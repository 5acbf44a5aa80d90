// The commands for reconciliation, connections and the sandbox's faults.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { json, run } = commandLine(service)

test('after lost messages, deleted customers and an uninstalled app, commands restore a consistent state', async () => {
  const store = await service.aStore()
  const of = ['--store', store.id]
  assert.deepEqual(await json('sandbox', 'webhooks', ...of, '--drop', '1', '--seed', '7'), { faulty: true })
  const { customer } = await store.member('ada@example.com')
  const looks = await json('store', 'reconcile', ...of)
  const all = looks.data.find(({ kind }: { kind: string }) => kind === 'all_contracts')
  assert.deepEqual([all.seen, all.failures, all.last_error], [1, 0, null])
  assert.equal((await service.get('/subscriptions', store.key)).body.meta.total, 1)
  assert.equal((await json('store', 'reconcile', ...of, '--show')).data.length, 5)
  assert.deepEqual(await json('sandbox', 'webhooks', ...of, '--off'), { faulty: false })

  const { id: other } = await store.customer('bob@example.com')
  assert.deepEqual(await json('sandbox', 'merge', ...of, '--customer', customer.id, '--into', other), {
    deleted: customer.id,
    kept: other
  })
  assert.deepEqual(await json('sandbox', 'revoke-card', ...of, '--customer', other), { revoked: 2 })
  assert.deepEqual(await json('sandbox', 'shop', ...of, '--timezone', 'Asia/Tokyo'), { timezone: 'Asia/Tokyo' })
  assert.deepEqual(await json('sandbox', 'delete-customer', ...of, '--customer', other), { deleted: other })
  assert.deepEqual(await json('sandbox', 'uninstall', ...of), { uninstalled: true })
  assert.equal((await json('store', 'show', ...of)).status, 'disconnected')
  const refused = await run(['store', 'reconcile', ...of, '--json'])
  assert.equal(refused.code, 1)
  assert.equal(JSON.parse(refused.out).error.code, 'conflict')
  const says =
    /Of the cycles that fell due .* the latest is billed, or all: .* catch_up .*\n {2}perennial store settings --store /
  assert.match((await run(['store', 'disconnect', ...of])).out, says)
  assert.match((await run(['store', 'connect', ...of])).out, says)
  const again = await run(['store', 'connect', ...of])
  assert.doesNotMatch(again.out, /fell due/, 'nothing fell due while it was connected')
  assert.match(again.out, /The store was connected; its connection was checked/)
  const connected = await json('store', 'connect', ...of)
  assert.match(connected.platform_token, /^sbx_/)
  assert.deepEqual(
    [connected.id, connected.domain, connected.status, connected.was_connected],
    [store.id, store.domain, 'active', true]
  )
  assert.deepEqual((await json('doctor', ...of)).findings, [])
})

test('an invalid share and a conflict are refused with a message', async () => {
  const store = await service.aStore()
  for (const [body, message] of [
    [{}, /The body must have at least one of off, drop, duplicate, late/],
    [{ drop: 2 }, /drop must be a share of the messages from 0 to 1/],
    [{ off: true, drop: 1 }, /off must be the only field when it is true/]
  ] as const) {
    await assert.rejects(service.admin('POST', `${store.at}/sandbox/webhook-faults`, body), message)
  }
  for (const [body, faulty] of [
    [{ late: 0.5 }, true],
    [{ shuffle: true }, true],
    [{ drop: 0 }, false],
    [{ off: true }, false]
  ] as const) {
    assert.deepEqual(await service.admin('POST', `${store.at}/sandbox/webhook-faults`, body), { faulty })
  }
  await assert.rejects(service.admin('POST', `${store.at}/sandbox/shop`, { timezone: 'Mars' }), /IANA time zone/)
})
