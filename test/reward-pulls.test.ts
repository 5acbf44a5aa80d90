// Reward points pulled by the whole service, as operators set it and as the Data API shows it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { sql } from '#kit/postgres'
import { aRewardServer, json, pages } from '../src/exports/rewards/reward-server.test-helper.ts'
import { signedQuery } from '../src/http/storefront/signed.test-helper.ts'
import { adminOf } from './admin-calls.ts'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const logged: string[] = []
const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
const service = await startService(url, { logger: logger as never })
const { call } = adminOf(service)
const { run, json: document } = commandLine(service)

const AUTHORIZATION = 'Bearer canary-of-the-reward-points-0123456789'

async function aShop() {
  const store = await service.aStore()
  const ids: string[] = []
  for (const name of ['ada', 'bob', 'eve']) ids.push((await store.member(`${name}@example.com`)).customer.id)
  return {
    ...store,
    ids,
    of: ['--store', store.domain] as const,
    /** Rows of members in the Data API, by their e-mail. */
    async members() {
      const signer = { domain: store.domain, credentials: { proxySecret: store.proxy_secret } }
      const query = signedQuery(signer as never, { key: store.key })
      const response = await fetch(`${service.urls.public}/apps/svc-api/v1/data/members?${query}`)
      assert.equal(response.status, 200)
      return Object.fromEntries(((await response.json()) as any).data.map((one: any) => [one.email.split('@')[0], one]))
    },
    async points(field = 'smile_points') {
      return Object.entries(await this.members()).map(([name, one]) => [name, (one as any)[field]])
    }
  }
}

test('balances that were pulled are in the rows of members: digits, empty when unknown, a dash when hidden, and gone when inactive', async () => {
  const store = await aShop()
  const server = await aRewardServer(
    pages(
      [
        { customer_id: store.ids[0], points: 120 },
        { email: 'nobody@example.com', points: 1 }
      ],
      [{ email: 'EVE@example.com', points: 9007199254740991 }]
    )
  )
  const set = await call(store, 'POST', '/reward-integrations', {
    key: 'smile',
    pull: { url: server.url, authorization: AUTHORIZATION }
  })
  assert.equal(set.status, 200)
  assert.deepEqual(set.body.pull, {
    url: server.url,
    every_minutes: 60,
    has_authorization: true,
    status: 'running',
    next_at: set.body.pull.next_at,
    received: 0,
    stored: 0,
    unknown: 0,
    failures: 0,
    last_error: null,
    failing_since: null,
    finished_at: null
  })
  const now = await call(store, 'POST', '/reward-integrations/smile/pull')
  assert.equal(now.status, 202)
  const { status, received, stored, unknown, failures } = now.body.pull
  assert.deepEqual(
    { status, received, stored, unknown, failures, balances: now.body.balances },
    {
      status: 'waiting',
      received: 3,
      stored: 2,
      unknown: 1,
      failures: 0,
      balances: 2
    }
  )
  assert.deepEqual(server.asked[1], { path: '/balances', cursor: 'p1', limit: '1000', authorization: AUTHORIZATION })
  assert.deepEqual(await store.points(), [
    ['ada', '120'],
    ['bob', ''],
    ['eve', '9007199254740991']
  ])
  await call(store, 'POST', '/reward-integrations', { key: 'smile', shown: false })
  assert.deepEqual(await store.points(), [
    ['ada', ' - '],
    ['bob', ' - '],
    ['eve', ' - ']
  ])
  const off = await call(store, 'POST', '/reward-integrations', { key: 'smile', active: false })
  assert.deepEqual([off.body.pull.status, off.body.pull.next_at], ['off', null])
  assert.ok(!('smile_points' in (await store.members()).ada))
  const inactive = await call(store, 'POST', '/reward-integrations/smile/pull')
  assert.deepEqual([inactive.status, inactive.body.error.code], [409, 'conflict'])
})

test('what is wrong with a pull is said by its field, and changes nothing', async () => {
  const store = await aShop()
  const refused = async (pull: unknown, message: RegExp) => {
    const { status, body } = await call(store, 'POST', '/reward-integrations', { key: 'smile', pull } as object)
    assert.equal(status, 400, JSON.stringify(body))
    assert.match(body.error.message, message)
  }
  await refused(5, /^pull must be an object with any of url, every_minutes, authorization/)
  await refused({}, /^pull\.url is missing/)
  await refused({ every_minutes: 60 }, /^pull\.url is missing/)
  await refused({ url: '' }, /^pull\.url must be an https address/)
  await refused({ url: 'ftp://example.com' }, /^pull\.url must be an https/)
  await refused({ url: 'https://10.0.0.1/' }, /^pull\.url must not point to a private/)
  await refused(
    { url: 'https://example.com/', every_minutes: 4 },
    /^pull\.every_minutes must be an integer from 5 to 1440/
  )
  await refused({ url: 'https://example.com/', every_minutes: 1441 }, /^pull\.every_minutes must be/)
  await refused(
    { url: 'https://example.com/', authorization: 'a\nb' },
    /^pull\.authorization must be the value of a header/
  )
  await refused({ url: 'https://example.com/', authorization: 5 }, /^pull\.authorization must be a text/)
  await refused({ url: 'https://example.com/', every: 5 }, /^pull\.every is/)
  assert.deepEqual((await call(store, 'GET', '/reward-integrations')).body.data, [])
  assert.equal((await call(store, 'POST', '/reward-integrations/none/pull')).status, 404)
  await call(store, 'POST', '/reward-integrations', { key: 'smile' })
  assert.equal((await call(store, 'POST', '/reward-integrations/smile/pull')).status, 409)
})

test('the command line sets, lists, pulls and removes, and says why a pull fails', async () => {
  const store = await aShop()
  const server = await aRewardServer((_, response) => json(response, { token: AUTHORIZATION }, 401))
  const key = [...store.of, '--key', 'smile']
  const set = await document(
    'rewards',
    'set',
    ...key,
    '--url',
    server.url,
    '--every',
    '5',
    '--authorization',
    AUTHORIZATION
  )
  assert.deepEqual([set.pull.every_minutes, set.pull.has_authorization], [5, true])
  const failing = await run(['rewards', 'pull', ...key])
  assert.equal(failing.code, 1)
  assert.match(failing.out, /pull\.last_error +The answer has the status 401 and not 200/)
  const { problems } = await document('status', ...store.of).catch(async () =>
    JSON.parse((await run(['status', ...store.of, '--json'])).out)
  )
  const problem = problems.find(({ kind }: { kind: string }) => kind === 'rewards_failing')
  assert.match(problem.message, /^Pulling the reward points of smile failed once: The answer has the status 401/)
  assert.match(
    (await run(['rewards', 'list', ...store.of])).out,
    /smile +true +true +0 +http:\S+ +failing .* 1 +The answer has/
  )
  server.become(pages([{ customer_id: store.ids[1], points: 7 }]))
  const done = await run(problem.next.match(/perennial (rewards .*)$/)[1].split(' '))
  assert.equal(done.code, 0, done.out)
  assert.deepEqual(await store.points(), [
    ['ada', ''],
    ['bob', '7'],
    ['eve', '']
  ])
  assert.equal((await document('rewards', 'set', ...key, '--authorization', 'none')).pull.has_authorization, false)
  assert.match(
    (await run(['rewards', 'set', ...key, '--url', 'http://10.1.1.1/'])).err,
    /--url \(pull\.url\) must be an https/
  )
  assert.equal((await document('rewards', 'set', ...key, '--url', 'none')).pull, null)
  const removed = await run(['rewards', 'remove', ...key])
  assert.equal(removed.out, 'smile is removed, with the balances of 1 customers.\n')
})

test('the authorization is in no answer, log line and table', async () => {
  const store = await aShop()
  // A service that answers with what it received.
  const server = await aRewardServer(({ authorization }, response) => {
    response.setHeader('x-echo', authorization ?? '')
    json(response, { error: authorization }, 500)
  })
  const answers: unknown[] = []
  const ask = async (method: string, path: string, body?: object) =>
    answers.push((await call(store, method, path, body)).body)
  await ask('POST', '/reward-integrations', { key: 'smile', pull: { url: server.url, authorization: AUTHORIZATION } })
  await ask('POST', '/reward-integrations/smile/pull')
  server.become((_, response) => response.end(`{"balances":[],"${AUTHORIZATION}":1,"next_cursor":"${AUTHORIZATION} `))
  await ask('POST', '/reward-integrations/smile/pull')
  server.become((_, response) => json(response, {}, 302, { location: `/${AUTHORIZATION}` }))
  await ask('POST', '/reward-integrations/smile/pull')
  await ask('GET', '/reward-integrations')
  await ask('GET', '/status')
  answers.push((await run(['rewards', 'list', ...store.of])).out)
  await service.db.inStore(store.storeId, ({ tx }) =>
    tx.run(sql`update reward_pulls set sealed_authorization = 'damaged' where store_id = ${store.storeId}`)
  )
  await ask('POST', '/reward-integrations/smile/pull')
  assert.match(JSON.stringify(answers.at(-1)), /cannot be read/)
  await ask('DELETE', '/reward-integrations/smile')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows: tables } = await client.query(
    `select oid::regclass::text as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`
  )
  const texts = []
  for (const { name } of tables) texts.push(...(await client.query(`select t::text as row from ${name} t`)).rows)
  await client.end()
  const places = { answers: JSON.stringify(answers), logs: logged.join('\n'), tables: JSON.stringify(texts) }
  const core = AUTHORIZATION.slice('Bearer '.length)
  for (const [place, said] of Object.entries(places)) {
    assert.ok(said.length > 300, place)
    for (const form of [core, Buffer.from(core).toString('hex')]) assert.ok(!said.includes(form), place)
  }
})

test('in the background a pull comes by itself, and a stop does not wait for a service that hangs', async () => {
  const { url } = await testDatabase()
  const node = await startService(url, { background: true, pollMs: 200 })
  const store = await node.aStore({ clock: undefined })
  const { customer } = await store.member('ada@example.com')
  const server = await aRewardServer(pages([{ customer_id: customer.id, points: 5 }]))
  await node.admin('POST', `${store.at}/reward-integrations`, { key: 'smile', pull: { url: server.url } })
  const list = async () => (await node.admin('GET', `${store.at}/reward-integrations`)).data[0]
  await until('it is pulled', async () => (await list()).balances === 1)
  const asked = server.asked.length
  server.become(() => {})
  await node.db.inStore(store.storeId, ({ tx }) =>
    tx.run(sql`update reward_pulls set next_at = statement_timestamp() where store_id = ${store.storeId}`)
  )
  await until('it hangs', () => server.asked.length > asked)
  const from = performance.now()
  await node.stop()
  assert.ok(performance.now() - from < 10_000, `the stop took ${performance.now() - from} ms`)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('select lease_owner, failures from reward_pulls')
  await client.end()
  assert.deepEqual(rows, [{ lease_owner: null, failures: 0 }])
})
