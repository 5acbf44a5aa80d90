import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { AddressRules } from '#kit/addresses'
import { int, row, sql, text } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aStore, testVault } from '../../../test/store-builder.ts'
import { until } from '../../../test/until.ts'
import { names } from '../../webhooks/hostile-endpoints.test-helper.ts'
import { releaseRewardPulls } from './pull/pull-queries.ts'
import { checkPullChange, type PullChange } from './pull/pull-settings.ts'
import { pullRewardBalancesNow } from './pull-now.ts'
import { pushRewardBalances } from './push-balances.ts'
import { findRewardIntegration, removeRewardIntegration, setRewardIntegration } from './reward-integrations.ts'
import { createRewardPullEngine, type RewardPullOptions } from './reward-pull-engine.ts'
import { aRewardServer, json, pages } from './reward-server.test-helper.ts'

const { db } = await testDatabase()
const addresses: AddressRules = { loopback: true, allow: [] }
const REMOTE = {
  sandbox: false,
  platformUrl: 'https://platform.example',
  accessToken: 'token-of-20-chars-xx',
  appSecret: 'x'.repeat(20)
}

/** A store of customers 1 to 5, with the integration smile, and an engine that pulls. */
async function aPulledStore({
  live = false,
  rules = addresses,
  ...options
}: { live?: boolean; rules?: AddressRules } & Partial<RewardPullOptions> = {}) {
  const store = await aStore(db, live ? REMOTE : {})
  const { storeId } = store
  await store.inStore(({ tx, now }) =>
    tx.run(sql`
      insert into members (store_id, platform_customer_id, email, status, member_since, created_at, updated_at)
      select ${storeId}, (${storeId} * 100 + n)::text, 'Person-' || n || '@example.com', 'active', ${now}, ${now}, ${now}
        from generate_series(1, 5) n`)
  )
  const newEngine = (leaseOwner = 1) =>
    createRewardPullEngine({
      db,
      vault: testVault,
      leaseOwner,
      addresses: rules,
      patience: { comeBackMs: 50 },
      ...options
    })
  const engine = newEngine()
  const set = async (pull: PullChange | null | undefined, key = 'smile', isActive?: boolean) => {
    const checked = pull && (await checkPullChange(db, storeId, pull, { addresses: rules }))
    return store.inStore((ctx) => setRewardIntegration(ctx, { key, isActive, pull: checked }, { vault: testVault }))
  }
  const run = async (by = engine) => {
    while ((await by.runOnce(storeId)) > 0);
  }
  after(() => engine.endUnderWay!(storeId))
  return {
    ...store,
    engine,
    newEngine,
    set,
    run,
    /** The platform's number of a customer. */
    number: (n: number) => String(storeId * 100 + n),
    state: (key = 'smile') => store.inStore((ctx) => findRewardIntegration(ctx, key)),
    /** Pulls now, until nothing is due. */
    async pull(key = 'smile') {
      await store.inStore((ctx) => pullRewardBalancesNow(ctx, key))
      await run()
      return store.inStore((ctx) => findRewardIntegration(ctx, key))
    },
    /** What is known, by the customers 1 to 5. */
    async balances(key = 'smile') {
      const rows = await store.inStore(({ tx }) =>
        tx.many(
          row({ number: text, points: int }),
          sql`select m.platform_customer_id as number, b.points from reward_balances b
                join members m on m.store_id = ${storeId} and m.id = b.member_id
               where b.store_id = ${storeId} and b.key = ${key} order by m.id`
        )
      )
      return Object.fromEntries(rows.map(({ number, points }) => [Number(number) - storeId * 100, points]))
    },
    /** Seconds until the pull is due, in real time. */
    async dueIn(key = 'smile') {
      const { nextAt } = await store.inStore((ctx) => findRewardIntegration(ctx, key))
      return Math.round((nextAt!.epochMilliseconds - Date.now()) / 1000)
    },
    /** Past every check of ours. */
    plant: (url: string) =>
      store.inStore(({ tx }) =>
        tx.run(sql`update reward_pulls set url = ${url}, next_at = statement_timestamp() where store_id = ${storeId}`)
      )
  }
}

test('a pull asks for page after page, stores what names a customer, counts the others, and comes again on its schedule', async () => {
  const store = await aPulledStore()
  const server = await aRewardServer(
    pages(
      [
        { customer_id: store.number(1), points: 10 },
        { customer_id: Number(store.number(2)), points: 20 },
        { customer_id: '99999999999999999999', points: 1 }
      ],
      [
        { customer_id: null, email: 'PERSON-3@example.com', points: 30 },
        { email: 'nobody@example.com', points: 2 },
        { customer_id: 'guest-7', points: 3 }
      ],
      [
        { customer_id: store.number(1), points: 11 },
        { customer_id: `gid://platform/Customer/${store.number(4)}`, points: 9007199254740991 },
        { customer_id: store.number(1), points: 0 }
      ]
    )
  )
  const set = await store.set({ url: `${server.url}?shop=a%20b`, everyMinutes: 60, authorization: 'Bearer s3cret' })
  assert.equal(set.hasAuthorization, true)
  await store.run()
  assert.deepEqual(server.cursors(), [null, 'p1', 'p2'])
  assert.deepEqual(
    [...new Set(server.asked.map((one) => `${one.path} ${one.limit} ${one.authorization}`))],
    ['/balances 1000 Bearer s3cret']
  )
  assert.deepEqual(await store.balances(), { 1: 0, 2: 20, 3: 30, 4: 9007199254740991 })
  const { received, stored, unknown, failures, lastError, startedAt, finishedAt } = await store.state()
  assert.deepEqual([received, stored, unknown, failures, lastError, startedAt], [9, 5, 3, 0, null, null])
  assert.ok(Math.abs(finishedAt!.epochMilliseconds - Date.now()) < 60_000)
  const seconds = await store.dueIn()
  assert.ok(seconds > 3200 && seconds < 4000, `next in ${seconds} s`)
  await store.run()
  assert.equal(server.asked.length, 3, 'nothing before it is time')
})

test('the next pull counts anew, changes what has changed, and leaves who is no longer named', async () => {
  const store = await aPulledStore()
  const server = await aRewardServer(pages([1, 2].map((n) => ({ customer_id: store.number(n), points: n }))))
  await store.set({ url: server.url })
  await store.run()
  server.become(pages([{ customer_id: store.number(2), points: 7 }]))
  const { received, stored } = await store.pull()
  assert.deepEqual([received, stored, await store.balances()], [1, 1, { 1: 1, 2: 7 }])
})

test('of a push and a pull the one that comes last counts', async () => {
  const store = await aPulledStore()
  const server = await aRewardServer(pages([{ customer_id: store.number(1), points: 1 }]))
  const push = (points: number) =>
    store.inStore((ctx) =>
      pushRewardBalances(ctx, 'smile', [
        { given: '1', customer: { memberId: null, platformId: store.number(1) }, points }
      ])
    )
  await store.set({ url: server.url })
  await push(5)
  await store.run()
  assert.deepEqual(await store.balances(), { 1: 1 })
  await push(6)
  assert.deepEqual(await store.balances(), { 1: 6 })
})

test('an address that several customers share names nobody', async () => {
  const store = await aPulledStore()
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update members set email = 'family@example.com' where store_id = ${storeId}
                  and platform_customer_id = any(${[store.number(1), store.number(2)]}::text[])`)
  )
  const server = await aRewardServer(pages([{ email: 'family@example.com', points: 1 }]))
  await store.set({ url: server.url })
  await store.run()
  assert.deepEqual([await store.balances(), (await store.state()).unknown], [{}, 1])
})

test('a malformed page is named, nothing of it is written, and the next try goes on at that page', async () => {
  const store = await aPulledStore()
  const page = (n: number, last: unknown) => [{ customer_id: store.number(n), points: n }, last as { points: number }]
  const server = await aRewardServer(pages([{ customer_id: store.number(1), points: 1 }], page(2, { points: 3 })))
  await store.set({ url: server.url })
  await store.run()
  const failing = await store.state()
  assert.deepEqual(await store.balances(), { 1: 1 })
  assert.equal(failing.lastError, 'Malformed answer: balances[1] must have customer_id or email')
  assert.deepEqual([failing.failures, failing.received], [1, 1])
  server.become(pages([], page(2, { email: 'person-3@example.com', points: 3 })))
  const done = await store.pull()
  assert.deepEqual(server.cursors(), [null, 'p1', 'p1'])
  assert.deepEqual([done.failures, done.lastError, done.received], [0, null, 3])
  assert.deepEqual(await store.balances(), { 1: 1, 2: 2, 3: 3 })
})

test('a page that keeps failing has the pull begin anew; one whose cursor the service has lost at once', async () => {
  const store = await aPulledStore()
  const first = [{ customer_id: store.number(1), points: 1 }]
  const failAfterFirst =
    (status: number): Parameters<typeof aRewardServer>[0] =>
    (asked, response) =>
      asked.cursor === null ? pages(first, first)(asked, response) : json(response, {}, status)
  const server = await aRewardServer(failAfterFirst(500))
  await store.set({ url: server.url })
  const pauses: number[] = []
  await store.run()
  pauses.push(await store.dueIn())
  for (let i = 0; i < 3; i++) {
    await store.pull()
    pauses.push(await store.dueIn())
  }
  assert.deepEqual(
    pauses.map((seconds) => Math.round(seconds / 60)),
    [1, 5, 15, 60]
  )
  assert.equal((await store.state()).lastError, 'The answer has the status 500 and not 200')
  await store.pull()
  assert.deepEqual(server.cursors(), [null, 'p1', 'p1', 'p1', 'p1', null, 'p1'])
  server.become(failAfterFirst(410))
  await store.pull()
  server.become(pages(first, first))
  const done = await store.pull()
  assert.deepEqual(server.cursors().slice(7), ['p1', null, 'p1'])
  assert.deepEqual([done.received, done.failures], [2, 0])
})

test('401 is tried again and shown, and a pause that the service asks for is kept', async () => {
  const store = await aPulledStore()
  const server = await aRewardServer((_, response) => json(response, { error: 'Bearer wrong' }, 401))
  await store.set({ url: server.url, authorization: 'Bearer wrong' })
  await store.run()
  assert.equal((await store.state()).lastError, 'The answer has the status 401 and not 200')
  server.become((_, response) => json(response, {}, 429, { 'retry-after': '1800' }))
  await store.pull()
  assert.equal(Math.round((await store.dueIn()) / 60), 30)
})

test('cursors that go in a circle come to an end', async () => {
  const store = await aPulledStore()
  const server = await aRewardServer(({ cursor }, response) =>
    json(response, { balances: [], next_cursor: cursor === 'a' ? 'b' : 'a' })
  )
  await store.set({ url: server.url })
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update reward_pulls set pages = 99996, started_at = now() where store_id = ${storeId}`)
  )
  await store.run()
  assert.equal(server.asked.length, 4)
  assert.match((await store.state()).lastError!, /more pages after 100000/)
})

test('an answer that does not end is ended after a megabyte', async () => {
  const store = await aPulledStore()
  let sent = 0
  const server = await aRewardServer((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(64 * 1024))) sent += 64
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  })
  await store.set({ url: server.url })
  await store.run()
  assert.equal((await store.state()).lastError, 'Malformed answer: the answer has more than 1048576 bytes')
  await until('its connection is closed', () => server.cutOff() === 1)
  assert.ok(sent < 20_000, `${sent} KB were sent`)
})

for (const [what, answer] of Object.entries<Parameters<typeof aRewardServer>[0]>({
  'does not begin': () => {},
  drips: (_, response) => {
    const timer = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(timer))
  }
})) {
  test(`an answer that ${what} is not waited for longer than the limit`, async () => {
    const store = await aPulledStore({ timeoutMs: 400 })
    const server = await aRewardServer(answer)
    await store.set({ url: server.url })
    const from = performance.now()
    await store.run()
    assert.ok(performance.now() - from < 20_000)
    assert.equal((await store.state()).lastError, 'No whole answer came within 0.4 seconds')
    await until('its connection is closed', () => server.cutOff() === 1)
  })
}

test('a redirect is not followed', async () => {
  const store = await aPulledStore()
  const target = await aRewardServer(pages([{ customer_id: store.number(1), points: 1 }]))
  const server = await aRewardServer((_, response) => json(response, {}, 302, { location: target.url }))
  await store.set({ url: server.url, authorization: 'Bearer s3cret' })
  await store.run()
  assert.equal(target.asked.length, 0)
  assert.equal((await store.state()).lastError, 'The answer has the status 302: redirects are not followed')
})

test('a compressed answer, for which we have not asked, is refused', async () => {
  const store = await aPulledStore()
  const server = await aRewardServer((_, response) => json(response, {}, 200, { 'content-encoding': 'gzip' }))
  await store.set({ url: server.url })
  await store.run()
  assert.equal((await store.state()).lastError, 'The answer is compressed, for which we have not asked')
})

test('a private address is refused when it is set, in a live store this machine too, and in a sandbox store as the installation says', async () => {
  const lookup = names({ 'inside.test': ['10.0.0.1'], 'mixed.test': ['93.184.216.34', '127.0.0.1'] })
  const live = await aPulledStore({ live: true, rules: { ...addresses, lookup } })
  const urls = [
    'http://127.0.0.1:9/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://inside.test/',
    'https://mixed.test/',
    'http://93.184.216.34/',
    'https://user:pass@93.184.216.34/',
    'https://93.184.216.34/?cursor=1',
    'https://93.184.216.34/?limit=5',
    'not a url'
  ]
  for (const url of urls) {
    await assert.rejects(live.set({ url }), { code: 'invalid_request', message: /^pull\.url must / }, url)
  }
  const strict = await aPulledStore({ rules: { loopback: false, allow: [] } })
  await assert.rejects(strict.set({ url: 'https://127.0.0.1/' }), { message: /private, local or reserved/ })
  const { url } = await (await aPulledStore()).set({ url: 'http://127.0.0.1:9/' })
  assert.equal(url, 'http://127.0.0.1:9/')
})

test('a private address is refused at every connection too: in a live store nothing reaches this machine', async () => {
  const server = await aRewardServer(pages([]))
  // Public when it is set, and of this machine when it is asked.
  let address = '93.184.216.34'
  const lookup = names({ 'turns.test': () => [address] })
  const live = await aPulledStore({ live: true, rules: { ...addresses, lookup } })
  await live.set({ url: `https://turns.test:${server.port}/` })
  address = '127.0.0.1'
  await live.run()
  assert.equal(
    (await live.state()).lastError,
    'The name resolves to a private, local or reserved address, to which nothing is sent'
  )
  await live.plant(server.url)
  await live.run()
  assert.match((await live.state()).lastError!, /private, local or reserved address/)
  assert.deepEqual([server.asked.length, (await live.state()).failures], [0, 2])
})

test('what goes on is at the page that a killed process had reached, and what that one still gets does not count', async () => {
  const store = await aPulledStore()
  const held: (() => void)[] = []
  const three = pages(...[1, 2, 3].map((n) => [{ customer_id: store.number(n), points: n }]))
  const server = await aRewardServer((asked, response) => {
    if (asked.cursor === 'p1' && held.length === 0) held.push(() => three(asked, response))
    else three(asked, response)
  })
  await store.set({ url: server.url })
  const dying = store.newEngine(901)
  await dying.runOnce(store.storeId)
  await until('it hangs at the second page', async () => {
    await dying.runOnce(store.storeId)
    return held.length === 1
  })
  const next = store.newEngine(902)
  assert.equal(await next.runOnce(store.storeId), 0, 'it is leased')
  await db.inInstallation((tx) => tx.run(releaseRewardPulls([901])))
  server.become((asked, response) => {
    if (asked.cursor === 'p1')
      json(response, { balances: [{ customer_id: store.number(2), points: 22 }], next_cursor: 'p2' })
    else three(asked, response)
  })
  await store.run(next)
  assert.deepEqual(server.cursors(), [null, 'p1', 'p1', 'p2'])
  held[0]!()
  await until('the answer is there', async () => (await dying.runOnce(store.storeId)) === 0)
  assert.deepEqual(await store.balances(), { 1: 1, 2: 22, 3: 3 })
  const { received, startedAt, failures } = await store.state()
  assert.deepEqual([received, startedAt, failures], [3, null, 0])
})

test('two nodes do not pull at once: each page is asked for once', async () => {
  const store = await aPulledStore()
  let atOnce = 0
  let most = 0
  const server = await aRewardServer((asked, response) => {
    most = Math.max(most, ++atOnce)
    setTimeout(() => {
      atOnce--
      const page = Number(asked.cursor ?? 0)
      json(response, { balances: [], next_cursor: page < 9 ? String(page + 1) : null })
    }, 30)
  })
  await store.set({ url: server.url })
  const nodes = [store.newEngine(11), store.newEngine(12)]
  await until('it is over', async () => {
    await Promise.all(nodes.map((node) => node.runOnce(store.storeId)))
    return (await store.state()).finishedAt !== null
  })
  assert.deepEqual(server.cursors(), [null, '1', '2', '3', '4', '5', '6', '7', '8', '9'])
  assert.equal(most, 1)
})

test('a service that hangs does not hold up the others of its store', async () => {
  const store = await aPulledStore()
  const hanging = await aRewardServer(() => {})
  const quick = await aRewardServer(pages([{ customer_id: store.number(1), points: 1 }]))
  await store.set({ url: hanging.url }, 'hanging')
  await store.set({ url: quick.url })
  await store.engine.runOnce(store.storeId)
  await until('the other one is over', async () => {
    await store.engine.runOnce(store.storeId)
    return (await store.state()).finishedAt !== null
  })
  assert.deepEqual([hanging.asked.length, hanging.cutOff()], [1, 0])
})

test('a request is ended where the store is left to another node, which counts as no failure', async () => {
  const store = await aPulledStore()
  const server = await aRewardServer(() => {})
  await store.set({ url: server.url })
  await store.engine.runOnce(store.storeId)
  const from = performance.now()
  await store.engine.endUnderWay!(store.storeId)
  assert.ok(performance.now() - from < 8_000)
  await until('its connection is closed', () => server.cutOff() === 1)
  assert.deepEqual([(await store.state()).failures, (await store.state()).lastError], [0, null])
  server.become(pages([{ customer_id: store.number(1), points: 1 }]))
  await store.run(store.newEngine(2))
  assert.deepEqual(await store.balances(), { 1: 1 })
})

test('a secret goes to no other address: with another URL it is cleared unless it is given again', async () => {
  const store = await aPulledStore()
  const first = await aRewardServer(pages([]))
  const second = await aRewardServer(pages([]))
  await store.set({ url: first.url, authorization: 'Bearer one' })
  await store.run()
  assert.equal((await store.set({ everyMinutes: 5 })).hasAuthorization, true)
  assert.equal((await store.set({ url: first.url, everyMinutes: 10 })).hasAuthorization, true)
  assert.equal((await store.set({ url: second.url })).hasAuthorization, false)
  await store.run()
  await store.set({ url: first.url, authorization: 'Bearer two' })
  await store.run()
  assert.equal((await store.set({ authorization: null })).hasAuthorization, false)
  await store.run()
  assert.deepEqual(
    first.asked.map(({ authorization }) => authorization),
    ['Bearer one', 'Bearer two', undefined]
  )
  assert.deepEqual(
    second.asked.map(({ authorization }) => authorization),
    [undefined]
  )
})

test('a secret opens for the URL for which it was given only', async () => {
  const store = await aPulledStore()
  const first = await aRewardServer(pages([]))
  const second = await aRewardServer(pages([]))
  await store.set({ url: first.url, authorization: 'Bearer one' })
  await store.plant(second.url)
  await store.run()
  assert.equal(second.asked.length, 0)
  assert.match((await store.state()).lastError!, /^Not asked: the authorization cannot be read/)
})

test('what was asked of the URL before does not count after a change, nor after a removal', async () => {
  const store = await aPulledStore()
  const answers: (() => void)[] = []
  const one = (points: number) => pages([{ customer_id: store.number(1), points }])
  const before = await aRewardServer((asked, response) => void answers.push(() => one(1)(asked, response)))
  const now = await aRewardServer(one(2))
  await store.set({ url: before.url })
  await store.engine.runOnce(store.storeId)
  await store.set({ url: now.url })
  await until('the new one is pulled', async () => {
    await store.engine.runOnce(store.storeId)
    return (await store.state()).finishedAt !== null
  })
  answers[0]!()
  await store.run()
  assert.deepEqual(await store.balances(), { 1: 2 })
  await store.set({ url: before.url })
  await store.engine.runOnce(store.storeId)
  await store.inStore((ctx) => removeRewardIntegration(ctx, 'smile'))
  await until('it was asked', () => answers.length === 2)
  answers[1]!()
  await store.run()
  assert.deepEqual(await store.balances(), {})
})

test('while the integration is inactive nothing is pulled, and when it is active again it is pulled at once', async () => {
  const store = await aPulledStore()
  const server = await aRewardServer(pages([]))
  await store.set({ url: server.url }, 'smile', false)
  await store.run()
  assert.equal(server.asked.length, 0)
  await assert.rejects(store.pull(), { code: 'conflict', message: /inactive/ })
  await store.set(undefined, 'smile', true)
  await store.run()
  assert.equal(server.asked.length, 1)
  await store.set(undefined, 'smile', false)
  assert.equal((await store.state()).nextAt, null)
})

test('a pull is oftener from the change on, and none is left without a URL', async () => {
  const store = await aPulledStore()
  const server = await aRewardServer(pages([]))
  await assert.rejects(store.set({ everyMinutes: 5 }), { message: /^pull\.url is missing/ })
  await assert.rejects(store.set({ url: server.url, authorization: 'two\r\nlines' }), {
    message: /^pull\.authorization must/
  })
  await store.set({ url: server.url, everyMinutes: 1440 })
  await store.run()
  await store.set({ everyMinutes: 5 })
  assert.ok((await store.dueIn()) <= 300)
  assert.equal((await store.set(null)).url, null)
  await assert.rejects(store.pull(), { code: 'conflict', message: /no URL/ })
  await store.run()
  assert.equal(server.asked.length, 1)
})
