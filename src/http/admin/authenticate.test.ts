import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { Secret } from '#kit/secrets'
import type { Role } from '../shared/access.ts'
import { openSurface, type Surface } from '../shared/surface.ts'
import { authenticateCallers, callerResolvers, type ResolveCaller } from './authenticate.ts'
import { callerOf } from './caller.ts'
import { errorBody, statusOf } from './errors.ts'

const TOKEN = 'operator-token'

/** The admin surface with one route, which answers with who calls. */
function aServer(more: ResolveCaller[]) {
  const app = fastify()
  const whoami = (admin: Surface) =>
    void admin.get('/whoami', { config: { allow: 'operator' } }, async (request) => callerOf(request))
  openSurface(app, {
    name: 'admin',
    prefix: '/admin/api',
    errors: { statusOf, errorBody },
    routes: [whoami],
    deps: {},
    hooks: (admin) => authenticateCallers(admin, [...callerResolvers({ operatorToken: new Secret(TOKEN) }), ...more])
  })
  return (headers: Record<string, string>) => app.inject({ url: '/admin/api/whoami', headers })
}

/** Another kind of credential, as a session will be one. */
const byHeader =
  (role: string): ResolveCaller =>
  async ({ headers }) =>
    headers['x-person'] === 'ada' ? { role: role as Role, actor: { actor: 'operator', actorId: 'ada' } } : null

test('the operator token gives full rights', async () => {
  const response = await aServer([])({ authorization: `Bearer ${TOKEN}` })
  assert.deepEqual(response.json(), { role: 'operator', actor: 'operator' })
})

test('another kind of credential is one more resolver, and the routes stay as they are', async () => {
  const ask = aServer([byHeader('operator')])
  assert.deepEqual((await ask({ 'x-person': 'ada' })).json(), {
    role: 'operator',
    actor: { actor: 'operator', actorId: 'ada' }
  })
  assert.equal((await ask({ 'x-person': 'eve' })).statusCode, 401)
  assert.equal((await ask({})).statusCode, 401)
  assert.equal((await ask({ authorization: `Bearer ${TOKEN}` })).statusCode, 200)
})

test('a caller in a role that a route does not allow: 403', async () => {
  const response = await aServer([byHeader('support')])({ 'x-person': 'ada' })
  assert.equal(response.statusCode, 403)
  assert.deepEqual(response.json(), {
    error: { code: 'forbidden', message: 'This is not allowed to the role support' }
  })
})
