import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { testDatabase } from '../../../test/database.ts'
import { testServer } from '../server.test-helper.ts'
import type { ALLOWED } from './access.ts'
import { errorBody, statusOf } from './error-body.ts'
import { openSurface, type Surface } from './surface.ts'

const { db } = await testDatabase()

/** A server whose one surface has one route with this config. */
function aServer(name: keyof typeof ALLOWED, config: object | undefined) {
  const app = fastify()
  const route = (surface: Surface) => void surface.get('/things', { config: config as never }, async () => ({}))
  openSurface(app, { name, prefix: '/x', errors: { statusOf, errorBody }, routes: [route], deps: {}, hooks: () => {} })
  return app
}

for (const [name, config] of [
  ['rest', undefined],
  ['rest', {}],
  ['rest', { allow: 'read:everything' }],
  ['rest', { allow: 'manage' }],
  ['admin', undefined],
  ['admin', { allow: 'read:members' }],
  ['storefront', { allow: 'anyone' }]
] as const) {
  test(`a route of ${name} with ${JSON.stringify(config)} stops the start`, async () => {
    await assert.rejects(async () => aServer(name, config).ready(), {
      message: /^GET \/x\/things does not declare who may call it: config\.allow must be /
    })
  })
}

test('a route that declares who may call it starts', async () => {
  const app = aServer('admin', { allow: 'manage' })
  await app.ready()
  assert.equal((await app.inject('/x/things')).statusCode, 200)
})

test('a route outside of the surfaces must declare it too', () => {
  const { app } = testServer(db)
  assert.throws(() => app.get('/things', async () => ({})), /GET \/things does not declare who may call it/)
})
