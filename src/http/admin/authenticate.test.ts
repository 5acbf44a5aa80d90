import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fastify from 'fastify'
import { Secret } from '#kit/secrets'
import type { Role, SignIn } from '#team'
import { onServer, testDatabase } from '../../../test/database.ts'
import { createGuessLimiter } from '../rate-limits/guess-limiter.ts'
import { createRateLimiter } from '../rate-limits/rate-limiter.ts'
import { openSurface, type Surface } from '../shared/surface.ts'
import { authenticateCallers, callerResolvers, type ResolveCaller } from './authenticate.ts'
import { callerOf } from './caller.ts'
import { errorBody, statusOf } from './errors.ts'

const { db } = await testDatabase()
const TOKEN = 'operator-token-of-this-test-0123456789'
/** Long enough that no minute ends in between. */
const SOON_MS = 20_000

/** Nobody has a session. */
const NOBODY = { sessionOf: async () => null } as unknown as SignIn

/** The admin surface with one route, which answers with who calls. */
function aServer(more: ResolveCaller[], limiter = createRateLimiter(db)) {
  const app = fastify()
  const whoami = (admin: Surface) =>
    void admin.get('/whoami', { config: { allow: 'develop' } }, async (request) => callerOf(request))
  openSurface(app, {
    name: 'admin',
    prefix: '/admin/api',
    errors: { statusOf, errorBody },
    routes: [whoami],
    deps: {},
    hooks: (admin) =>
      authenticateCallers(
        admin,
        [...callerResolvers({ operatorToken: new Secret(TOKEN), signIn: NOBODY, staffOf: async () => null }), ...more],
        createGuessLimiter(limiter)
      )
  })
  return (headers: Record<string, string>, remoteAddress = '192.0.2.1') =>
    app.inject({ url: '/admin/api/whoami', headers, remoteAddress })
}

/** Another kind of credential, as a session will be one. */
const byHeader =
  (role: string): ResolveCaller =>
  async ({ headers }) =>
    headers['x-person'] === 'ada'
      ? { role: role as Role, actor: { actor: 'operator', actorId: 'ada' }, person: null, staff: null }
      : null

test('the operator token gives full rights', async () => {
  const response = await aServer([])({ authorization: `Bearer ${TOKEN}` })
  assert.deepEqual(response.json(), { role: 'operator', actor: 'operator', person: null, staff: null })
})

test('another kind of credential is one more resolver, and the routes stay as they are', async () => {
  const ask = aServer([byHeader('developer')])
  assert.deepEqual((await ask({ 'x-person': 'ada' })).json(), {
    role: 'developer',
    actor: { actor: 'operator', actorId: 'ada' },
    person: null,
    staff: null
  })
  assert.equal((await ask({ 'x-person': 'eve' })).statusCode, 401)
  assert.equal((await ask({})).statusCode, 401)
  assert.equal((await ask({ authorization: `Bearer ${TOKEN}` })).statusCode, 200)
})

test('a caller in a role that a route does not allow: 403', async () => {
  const response = await aServer([byHeader('support')])({ 'x-person': 'ada' })
  assert.equal(response.statusCode, 403)
  assert.deepEqual(response.json(), {
    error: { code: 'forbidden', message: 'This is for the roles owner, developer; yours is support' }
  })
})

const RIGHT = { authorization: `Bearer ${TOKEN}` }
const wrong = (n: number) => ({ authorization: `Bearer ${TOKEN.slice(0, -2)}${n}` })

/** Waits for the next minute when this one ends soon: the counts are per minute. */
async function inOneMinute() {
  const leftMs = 60_000 - (Date.now() % 60_000)
  if (leftMs < SOON_MS) await sleep(leftMs + 100)
}

test('after ten wrong tokens from an address, over all nodes, it is refused with the right one too; another address is not', async () => {
  await inOneMinute()
  const [one, two] = [aServer([]), aServer([])]
  const guesser = '198.51.100.7'
  for (let n = 0; n < 10; n++) assert.equal((await (n % 2 ? one : two)(wrong(n), guesser)).statusCode, 401)
  for (const ask of [one, two]) {
    // The right one first: half of the guesses came to this node, which has refused none.
    for (const headers of [RIGHT, wrong(10), RIGHT, wrong(11)]) {
      const response = await ask(headers, guesser)
      assert.equal(response.statusCode, 429)
      assert.deepEqual(response.json(), {
        error: {
          code: 'rate_limited',
          message: 'Too many wrong operator tokens from this address: the limit is 10 per minute'
        }
      })
      const retryAfter = Number(response.headers['retry-after'])
      assert.ok(retryAfter >= 1 && retryAfter <= 60, String(retryAfter))
    }
    assert.equal((await ask(RIGHT, '198.51.100.8')).statusCode, 200)
    assert.equal((await ask(wrong(1), '198.51.100.8')).statusCode, 401)
  }
})

test('guesses that are sent at once are counted as well, on both nodes', async () => {
  await inOneMinute()
  const nodes = [aServer([]), aServer([])]
  const guesser = '198.51.100.9'
  const responses = await Promise.all(
    Array.from({ length: 60 }, (_, n) => nodes[n % 2]!(wrong(n), guesser).then(({ statusCode }) => statusCode))
  )
  assert.equal(responses.filter((status) => status === 401).length, 10)
  assert.equal(responses.filter((status) => status === 429).length, 50)
  // A right token that comes with the wrong ones is refused, although their counts are still under way.
  const other = '198.51.100.10'
  const burst = Array.from({ length: 12 }, (_, n) => nodes[0]!(wrong(n), other))
  assert.equal((await nodes[0]!(RIGHT, other)).statusCode, 429)
  await Promise.all(burst)
})

test('right tokens and requests without one are no guesses', async () => {
  await inOneMinute()
  const ask = aServer([])
  for (let n = 0; n < 15; n++) {
    assert.equal((await ask(RIGHT, '198.51.100.11')).statusCode, 200)
    assert.equal((await ask({}, '198.51.100.11')).statusCode, 401)
  }
})

test('an address of IPv6 is counted with its network, a mapped one of IPv4 as that', async () => {
  await inOneMinute()
  const ask = aServer([])
  for (let n = 0; n < 10; n++) assert.equal((await ask(wrong(n), `2001:db8:1:2::${n + 1}`)).statusCode, 401)
  assert.equal((await ask(RIGHT, '2001:db8:1:2:ffff::1')).statusCode, 429)
  assert.equal((await ask(RIGHT, '2001:db8:1:3::1')).statusCode, 200)
  for (let n = 0; n < 10; n++) assert.equal((await ask(wrong(n), `::ffff:198.51.100.12`)).statusCode, 401)
  assert.equal((await ask(RIGHT, '198.51.100.12')).statusCode, 429)
})

test('without a database each node counts by itself: the operator is let in, and a guesser after ten wrong tokens is not', async () => {
  const other = await testDatabase()
  const ask = aServer([], createRateLimiter(other.db))
  const guesser = '198.51.100.13'
  assert.equal((await ask(wrong(0), guesser)).statusCode, 401)
  await onServer(`drop database ${new URL(other.url).pathname.slice(1)} with (force)`)
  for (let n = 1; n < 10; n++) {
    assert.equal((await ask(RIGHT, guesser)).statusCode, 200)
    assert.equal((await ask(wrong(n), guesser)).statusCode, 401)
  }
  for (const headers of [RIGHT, wrong(10), RIGHT]) {
    const response = await ask(headers, guesser)
    assert.equal(response.statusCode, 429)
    assert.ok(Number(response.headers['retry-after']) >= 1)
  }
  // Those that are under way count once.
  const burst = Array.from({ length: 6 }, (_, n) => ask(wrong(n), '198.51.100.14'))
  assert.equal((await ask(RIGHT, '198.51.100.14')).statusCode, 200)
  assert.deepEqual(
    (await Promise.all(burst)).map(({ statusCode }) => statusCode),
    Array(6).fill(401)
  )
})
