// A database that answers, and refuses to work: requests get 503 with Retry-After, never 500.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Database } from '#kit/postgres'
import { testServer } from '../src/http/server.test-helper.ts'
import { beforeDrop, onServer, testDatabase } from './database.ts'
import { OPERATOR_TOKEN, startService } from './service-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const owner = new pg.Client({ connectionString: url })
await owner.connect()
beforeDrop(() => owner.end())
const database = new URL(url).pathname.slice(1)
const key = `svc_test_1_${'a'.repeat(32)}`

async function asserted503(response: Response, shape: 'rest' | 'admin'): Promise<string> {
  const body = (await response.json()) as { error: { code: string; message: string } }
  assert.equal(response.status, 503, JSON.stringify(body))
  assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
  assert.equal(body.error.code, shape === 'rest' ? 'internal_error' : 'unavailable')
  return body.error.message
}

/** Makes every write of a table fail as the system would: `code` is the server's. */
async function whileWritesFail(table: 'members' | 'nodes', code: string, work: () => Promise<void>): Promise<void> {
  await owner.query(`create function fails() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '${code}'; end $$;
    create trigger fails before insert or update on ${table} for each row execute function fails()`)
  try {
    await work()
  } finally {
    await owner.query(`drop trigger fails on ${table}; drop function fails()`)
  }
}

test('a full disk, a lack of memory, an error of the disk and a server that only reads: 503 for writes, and then they work', async (t) => {
  const service = await startService(url)
  t.after(service.stop)
  const store = await service.aStore()
  await store.member('ada@example.com')
  const { body } = await service.get('/members', store.key)
  const path = `${service.url}/v1/members/${body.data[0].id}`
  const headers = { authorization: `Bearer ${store.key}`, 'content-type': 'application/json' }
  const patch = (name: string) =>
    fetch(path, { method: 'PATCH', headers, body: JSON.stringify({ first_name: name, loyalty_points: 7 }) })

  for (const code of ['53100', '53200', '58030', '25006']) {
    await whileWritesFail('members', code, async () => {
      assert.match(await asserted503(await patch(code), 'rest'), /^The database does not respond/)
      assert.equal((await service.get('/members', store.key)).status, 200, 'reads go on')
    })
  }
  assert.equal((await patch('Ada')).status, 200)
})

test('a database that answers and refuses to write is not ready, and the status says why', async (t) => {
  const service = await startService(url)
  t.after(service.stop)
  const kinds = { '53100': 'database_full', '58030': 'database_does_not_write', '53200': 'database_does_not_write' }
  for (const [code, kind] of Object.entries(kinds)) {
    await whileWritesFail('nodes', code, async () => {
      const { checks } = await until('it is not ready', async () => {
        const response = await fetch(`${service.url}/readyz`)
        const body = (await response.json()) as { checks: { database: string } }
        return response.status === 503 ? body : null
      })
      assert.match(checks.database, /could not extend file/)
      const { working, problems } = await service.admin('GET', '/status')
      assert.deepEqual([working, problems[0].kind], [false, kind])
    })
    await until('it is ready', async () => (await fetch(`${service.url}/readyz`)).ok)
    assert.equal((await service.admin('GET', '/status')).working, true)
  }
})

test('a database that was set to read only: 503 for writes, and not ready', async (t) => {
  const service = await startService(url)
  t.after(service.stop)
  const terminate = () =>
    owner.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [database]
    )
  await onServer(`alter database ${database} set default_transaction_read_only = on`)
  await terminate()
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' }
  const store = {
    domain: 'read-only.example',
    name: 'X',
    timezone: 'UTC',
    currency: 'USD',
    plan: 'starter',
    sandbox: true
  }
  const create = () =>
    fetch(`${service.url}/admin/api/stores`, { method: 'POST', headers, body: JSON.stringify(store) })
  // The first ones meet connections that were ended.
  await until('it only reads', async () => {
    const ready = await fetch(`${service.url}/readyz`)
    return /It only reads/.test(await ready.text())
  })
  await asserted503(await create(), 'admin')
  await onServer(`alter database ${database} set default_transaction_read_only = off`)
  await terminate()
  await until('it writes again', async () => (await create()).status === 201)
})

test('connections that an administrator ends again and again: 200 or 503, and every acknowledged write is there once', async (t) => {
  const service = await startService(url, { background: true })
  t.after(service.stop)
  const store = await service.aStore()
  const { customer } = await store.member('grace@example.com')
  await store.advance({ by: 'PT1M' })
  let isOver = false
  const terminating = (async () => {
    while (!isOver) {
      await owner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = $1 and application_name = 'perennial' and pid <> pg_backend_pid() and random() < 0.2`,
        [database]
      )
      await sleep(40)
    }
  })()
  const add = (idempotencyKey: string) =>
    service.post(
      `/store-credits/${customer.id}/add`,
      store.key,
      { amount: 1, reason: 'Again' },
      {
        'idempotency-key': idempotencyKey
      }
    )
  const before = (await service.get(`/store-credits/${customer.id}`, store.key)).body?.data?.balance
  const statuses = new Map<number, number>()
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    // Connections end by chance, so the writers go on until one in use was met: within what a store may send in a minute.
    for (let i = 0; i < 15 || (i < 30 && !statuses.has(503)); i++) {
      // A client repeats what was not answered with 200, under the same key.
      for (;;) {
        const { status } = await add(`${writer}-${i}`)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === 200) break
        assert.equal(status, 503)
        // A store may send 300 requests a minute, also on a machine that is busy.
        await sleep(500)
      }
    }
  })
  await Promise.all(writers).finally(() => {
    isOver = true
    return terminating
  })
  assert.ok((statuses.get(503) ?? 0) > 0, 'some requests met a connection that was ended')
  const balance = await until('the balance', async () => {
    const { status, body } = await service.get(`/store-credits/${customer.id}`, store.key)
    return status === 200 ? (body.data.balance as number) : null
  })
  if (before !== undefined) assert.equal(balance - before, statuses.get(200))
  const { findings } = await until('the auditor', () => service.admin('POST', '/doctor', {}).catch(() => null))
  assert.deepEqual(findings, [])
})

test('a request that waits for long is answered in time, and a write that went on or is repeated is done once', async (t) => {
  const service = await startService(url)
  t.after(service.stop)
  const store = await service.aStore()
  const { customer } = await store.member('ada@example.com')
  const path = `/store-credits/${customer.id}`
  const db = new Database({ url })
  const server = testServer(db, { answeredWithinMs: 500 })
  t.after(() => db.close())
  const headers = { authorization: `Bearer ${store.key}`, 'idempotency-key': 'late' }
  const payload = { amount: 5, reason: 'Late parcel' }
  const write = () => server.app.inject({ method: 'POST', url: `/v1${path}/add`, headers, payload })
  const balance = async () => (await service.get(path, store.key)).body.data.balance as number
  const before = await balance()

  await owner.query('begin; lock table members, credit_accounts in access exclusive mode')
  const responses = await Promise.all([server.rest('/members', store.key), write()])
  for (const response of responses) {
    assert.equal(response.statusCode, 503, response.body)
    assert.match(String(response.headers['retry-after']), /^\d+$/)
    assert.equal(response.json().error.code, 'internal_error')
    // The wait for the lock would have ended with another message, after four seconds.
    assert.match(response.json().error.message, /^The request was not finished in time\. /)
  }
  await owner.query('rollback')
  await until('it is done', async () => (await write()).statusCode === 200)
  assert.equal(await balance(), before + 5)
})

test('the time in which a body arrives is not that of the service', async (t) => {
  const service = await startService(url)
  t.after(service.stop)
  const store = await service.aStore()
  const { customer } = await store.member('ada@example.com')
  const db = new Database({ url })
  const { app } = testServer(db, { answeredWithinMs: 1_000 })
  t.after(() => app.close().then(() => db.close()))
  const at = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { authorization: `Bearer ${store.key}`, 'content-type': 'application/json', connection: 'close' }
  const body = new ReadableStream({
    async start(parts) {
      parts.enqueue(Buffer.from('{"amount":5,'))
      await sleep(1_500)
      parts.enqueue(Buffer.from('"reason":"Slow"}'))
      parts.close()
    }
  })
  const options = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
  assert.equal((await fetch(`${at}/v1/store-credits/${customer.id}/add`, options)).status, 200)
})

test('a server without room for connections, one that accepts none, and one that is not there: 503', async (t) => {
  const role = `limited_${process.pid}`
  await onServer(`create role ${role} login password 'limited' connection limit 0`)
  const closed = `closed_${database}`
  await onServer(`create database ${closed} allow_connections false`)
  t.after(() => onServer(`drop role ${role}`, `drop database ${closed}`))
  const asLimited = new URL(url)
  asLimited.username = role
  asLimited.password = 'limited'
  const asClosed = new URL(url)
  asClosed.pathname = `/${closed}`
  const targets: [string, string, RegExp][] = [
    ['53300', asLimited.href, /too many connections/],
    ['55000', asClosed.href, /not currently accepting connections/],
    ['ECONNREFUSED', 'postgres://127.0.0.1:1/none', /ECONNREFUSED|refused/]
  ]
  for (const [what, target, logged] of targets) {
    const broken = new Database({ url: target })
    const server = testServer(broken)
    const rest = await server.rest('/members', key)
    assert.equal(rest.statusCode, 503, what)
    assert.match(String(rest.headers['retry-after']), /^\d+$/)
    assert.equal(rest.json().error.code, 'internal_error')
    const storefront = await server.app.inject({
      method: 'POST',
      url: '/apps/svc-api/v1/membership/churn/1/cancellation?shop=x.example'
    })
    assert.equal(storefront.statusCode, 503)
    assert.deepEqual(Object.keys(storefront.json()), ['message'])
    const admin = await server.admin('GET', '/stores')
    assert.deepEqual([admin.statusCode, admin.json().error.code], [503, 'unavailable'])
    assert.match(server.logged(), logged)
    await broken.close()
  }
})
