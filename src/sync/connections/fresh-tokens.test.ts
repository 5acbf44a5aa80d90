// Refreshes against a token endpoint that answers as a test wants, with a real database.
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { row, type Statement, sql, text } from '#kit/postgres'
import { evictPlatformAccess, listAlerts, platformAccess } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { aStore, testVault } from '../../../test/store-builder.ts'
import { createFreshTokens } from './fresh-tokens.ts'

const { db } = await testDatabase()

let respond: (res: ServerResponse, body: Record<string, string>) => void = () => {}
const used: string[] = []
const server = createServer(async (req, res) => {
  let text = ''
  for await (const chunk of req) text += chunk
  const body = JSON.parse(text)
  used.push(body.refresh_token)
  respond(res, body)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => {
  server.closeAllConnections()
  server.close()
})
const platformUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

let pairs = 0
const issue = (res: ServerResponse, scope = 'a') => {
  const n = ++pairs
  const pair = { access_token: `access-token-${n}`, expires_in: 3600, refresh_token: `refresh-token-${n}`, scope }
  res.end(JSON.stringify({ ...pair, refresh_token_expires_in: 7_776_000 }))
}

/** A store whose token ends in so many seconds, and what refreshes it. */
async function aStoreWithToken(expiresInSeconds: number, { withApp = true } = {}) {
  used.length = 0
  const store = await aStore(db, {
    platformUrl,
    accessToken: 'first-access-token',
    terms: { expiresInSeconds, refreshToken: 'first-refresh-token', refreshExpiresInSeconds: 7_776_000, scopes: ['a'] }
  })
  const { storeId } = store
  const logged: string[] = []
  const taken: number[] = []
  const make = () =>
    createFreshTokens({
      db,
      vault: testVault,
      apps: { platform: withApp ? { clientId: 'id', clientSecret: 'secret-of-app' } : null, shopify: null },
      onTokenTaken: async (id) => void taken.push(id),
      log: (_, message) => void logged.push(message)
    })
  const stored = async () => {
    evictPlatformAccess(db, storeId)
    return platformAccess(db, testVault, storeId)
  }
  const alerts = async () => (await db.inStore(storeId, (ctx) => listAlerts(ctx))).alerts.map(({ kind }) => kind)
  const set = (change: (storeId: number) => Statement) => db.inStore(storeId, ({ tx }) => tx.run(change(storeId)))
  return { storeId, tokens: make(), make, stored, alerts, logged, taken, set }
}

test('a token that is good for a while is used as it is', async () => {
  const { storeId, tokens } = await aStoreWithToken(3600)
  assert.equal((await tokens.accessOf(storeId)).accessToken, 'first-access-token')
  await tokens.stop()
  assert.deepEqual(used, [])
})

test('with minutes left the call goes on with the old token while it is refreshed, also when the endpoint hangs', async () => {
  const { storeId, tokens, stored, taken } = await aStoreWithToken(300)
  let end = () => {}
  respond = (res) => void (end = () => issue(res))
  assert.equal((await tokens.accessOf(storeId)).accessToken, 'first-access-token')
  while (used.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal((await tokens.accessOf(storeId)).accessToken, 'first-access-token')
  end()
  await tokens.stop()
  assert.deepEqual(used, ['first-refresh-token'])
  const { accessToken, refreshToken } = await stored()
  assert.deepEqual([accessToken, refreshToken], [`access-token-${pairs}`, `refresh-token-${pairs}`])
  assert.deepEqual(taken, [storeId])
})

test('with seconds left the call waits for the new token', async () => {
  const { storeId, tokens } = await aStoreWithToken(20)
  respond = (res) => issue(res)
  assert.equal((await tokens.accessOf(storeId)).accessToken, `access-token-${pairs}`)
})

test('a refresh that brings other scopes is noted as any change of them is: what is lost is alerted, what was denied is done', async () => {
  const { tokens, storeId, alerts, set } = await aStoreWithToken(30)
  await set((id) => sql`update stores set granted_scopes = '{write_customers,write_orders}' where store_id = ${id}`)
  await set((id) => sql`insert into read_ins (store_id, part, phase) values (${id}, 'customers', 'failed')`)
  const phase = () =>
    db.inStore(storeId, ({ tx }) =>
      tx.one(row({ phase: text }), sql`select phase from read_ins where store_id = ${storeId} and part = 'customers'`)
    )
  respond = (res) => issue(res, 'write_customers')
  await tokens.accessOf(storeId)
  assert.deepEqual([await alerts(), (await phase()).phase], [['scopes_missing'], 'failed'])
  await set((id) => sql`update stores set token_expires_at = statement_timestamp() where store_id = ${id}`)
  evictPlatformAccess(db, storeId)
  respond = (res) => issue(res, 'write_customers,write_orders')
  await tokens.accessOf(storeId)
  assert.deepEqual([await alerts(), (await phase()).phase], [['scopes_missing'], 'start'])
})

test('an endpoint that fails is asked again with the same refresh token, and nobody is alerted', async () => {
  const { storeId, tokens, alerts, set, stored } = await aStoreWithToken(20)
  respond = (res) => res.writeHead(520).end('error code: 520')
  assert.equal((await tokens.accessOf(storeId)).accessToken, 'first-access-token')
  assert.match(JSON.stringify(await tokens.renew(storeId, 'first-access-token')), /later.*answered 520/)
  // Not at once.
  await tokens.accessOf(storeId)
  assert.deepEqual(used, ['first-refresh-token'])
  await set(
    (id) => sql`update stores set refresh_retry_at = statement_timestamp() - interval '1 second' where store_id = ${id}`
  )
  respond = (res) => issue(res)
  await tokens.accessOf(storeId)
  assert.deepEqual(used, ['first-refresh-token', 'first-refresh-token'])
  assert.equal((await stored()).refreshToken, `refresh-token-${pairs}`)
  assert.deepEqual(await alerts(), [])
})

test('a refresh that the platform refuses is alerted once while the token is still good', async () => {
  const { storeId, tokens, alerts, set } = await aStoreWithToken(300)
  respond = (res) => res.writeHead(401).end('{"error":"invalid_request","error_description":"No active refresh_token"}')
  for (let i = 0; i < 3; i++) {
    await tokens.accessOf(storeId)
    await tokens.stop()
    await set((id) => sql`update stores set refresh_retry_at = null where store_id = ${id}`)
  }
  assert.equal(used.length, 3)
  assert.deepEqual(await alerts(), ['token_not_refreshed'])
})

test('without the client secret nothing is asked, and the alert names the settings', async () => {
  const { storeId, tokens, logged } = await aStoreWithToken(300, { withApp: false })
  await tokens.accessOf(storeId)
  await tokens.stop()
  assert.deepEqual(used, [])
  assert.match(logged[0]!, /PLATFORM_CLIENT_ID and PLATFORM_CLIENT_SECRET are not set/)
})

test('another process that refreshes is waited for, and its token taken', async () => {
  const { storeId, tokens, make } = await aStoreWithToken(3600)
  const other = make()
  let end = () => {}
  respond = (res) => void (end = () => issue(res))
  const both = [tokens.renew(storeId, 'first-access-token'), other.renew(storeId, 'first-access-token')]
  while (used.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await new Promise((resolve) => setTimeout(resolve, 100))
  end()
  const token = `access-token-${pairs}`
  assert.deepEqual(await Promise.all(both), [{ token }, { token }])
  assert.deepEqual(used, ['first-refresh-token'])
})

test('the lease of a process that has died ends by itself', async () => {
  const { storeId, tokens, set } = await aStoreWithToken(20)
  respond = (res) => issue(res)
  await set(
    (id) =>
      sql`update stores set refresh_lease = 5, refresh_leased_until = statement_timestamp() + interval '30 seconds' where store_id = ${id}`
  )
  assert.equal((await tokens.accessOf(storeId)).accessToken, 'first-access-token')
  await set(
    (id) =>
      sql`update stores set refresh_leased_until = statement_timestamp() - interval '1 second' where store_id = ${id}`
  )
  assert.equal((await tokens.accessOf(storeId)).accessToken, `access-token-${pairs}`)
})

test('a late answer does not replace the token of a store that was installed again meanwhile', async () => {
  const { storeId, tokens, stored, set } = await aStoreWithToken(20)
  let end = () => {}
  respond = (res) => void (end = () => issue(res))
  const asking = tokens.accessOf(storeId)
  while (used.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  // As a new installation does.
  await set(
    (id) =>
      sql`update stores set refresh_lease = refresh_lease + 1, token_expires_at = statement_timestamp() + interval '1 hour' where store_id = ${id}`
  )
  end()
  await asking
  assert.equal((await stored()).accessToken, 'first-access-token')
})

test('what was renewed for a store that is disconnected meanwhile is nothing', async () => {
  const { storeId, tokens, set } = await aStoreWithToken(20)
  await set((id) => sql`update stores set status = 'disconnected' where store_id = ${id}`)
  evictPlatformAccess(db, storeId)
  assert.equal(await tokens.renew(storeId, 'first-access-token'), null)
  assert.deepEqual(used, [])
})
