import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { type Connectors, requestedScopes } from '#platform'
import { evictPlatformAccess, findStore, platformAccess, writeIssuedConnection } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { aStore, testVault } from '../../../test/store-builder.ts'
import { createConnections } from './connections.ts'
import { moveSandboxStores } from './move-sandbox-stores.ts'

const { db } = await testDatabase()
const REFUSED = { ok: false, failure: { kind: 'unauthorized', code: 'x', message: 'The token is not valid' } }
const TOPIC_REFUSED = { ok: false, failure: { kind: 'rejected', message: 'No permission for disputes/create' } }
const UNANSWERED = { ok: false, failure: { kind: 'unavailable', message: 'No answer' } }
const SHOP = { ok: true, value: { name: 'Renamed', timezone: 'America/New_York', currency: 'USD' } }
const ISSUED = { expiresInSeconds: 3600, refreshToken: 'refresh', refreshExpiresInSeconds: null, scopes: null }

type Answers = {
  ensure?: unknown
  remove?: unknown
  shop?: unknown
  url?: string
  /** What happens while the shop is read. */
  duringRead?: () => Promise<void>
}
const NO_METAFIELDS = { ok: true, value: { shopId: '1', metafields: new Map() } }

/** The connections of stores to a platform that answers so, and what is done with it. */
function aPlatform(answers: Answers = {}) {
  const calls: string[] = []
  const { ensure = { ok: true, value: { created: [], updated: [] } }, remove = { ok: true, value: null } } = answers
  const connector = {
    shop: {
      read: async () => {
        await answers.duringRead?.()
        return answers.shop ?? REFUSED
      }
    },
    appInstallation: { scopes: async () => (ensure === REFUSED ? REFUSED : { ok: true, value: [...requestedScopes] }) },
    metafields: { findOfShop: async () => (remove === REFUSED ? REFUSED : NO_METAFIELDS) },
    webhookSubscriptions: {
      ensure: async (url: string, topics: string[]) => {
        calls.push(`ensure ${url} ${topics.join()}`)
        return ensure
      },
      remove: async (topics: string[]) => {
        calls.push(`remove ${topics.join()}`)
        return remove
      }
    }
  }
  const connectors = {
    to: () => connector,
    tryOut: () => connector,
    forget: (storeId: number) => void calls.push(`forget ${storeId}`)
  } as unknown as Connectors
  const connections = createConnections({
    db,
    vault: testVault,
    connectors,
    webhooks: () => ({ url: answers.url ?? 'https://us.example/hooks', topics: ['a', 'b'] }),
    onTokenTaken: async (storeId) => void calls.push(`taken ${storeId}`),
    onConnectionChange: (storeId, message) => void calls.push(`${storeId}: ${message}`)
  })
  return { connections, calls, answers }
}

test('a store whose webhooks the platform does not accept is not connected', async () => {
  const { storeId, inStore } = await aStore(db)
  const walks = () => inStore(({ tx }) => tx.run(sql`select from reconciliations where store_id = ${storeId}`))
  await inStore(({ tx }) => tx.run(sql`delete from reconciliations where store_id = ${storeId}`))
  const access = await platformAccess(db, testVault, storeId)
  await assert.rejects(aPlatform({ ensure: REFUSED }).connections.connect(access), /The token is not valid/)
  assert.equal(await walks(), 0)
  const { connections, calls } = aPlatform()
  await connections.connect(access)
  assert.deepEqual(calls, ['ensure https://us.example/hooks a,b'])
  assert.equal(await walks(), 5)
})

test('a check of the connection reports that the stored token is taken, also where nobody here knew of a refusal', async () => {
  const { storeId } = await aStore(db)
  const refused = aPlatform({ ensure: REFUSED })
  assert.equal((await refused.connections.check(storeId)).ok, false)
  assert.deepEqual(refused.calls, [])
  const { connections, calls } = aPlatform()
  // The shop is read after it.
  await assert.rejects(connections.check(storeId), /The token is not valid/)
  assert.deepEqual(calls, [`taken ${storeId}`, 'ensure https://us.example/hooks a,b'])
})

test('a topic that the platform refuses keeps nothing else from being corrected, and is the result', async () => {
  const { storeId, inStore } = await aStore(db)
  await inStore(({ tx }) => tx.run(sql`delete from order_walks where store_id = ${storeId}`))
  const corrected = async () => {
    const { name, webhooksUrl } = (await findStore(db, `store_${storeId}`))!
    const walks = await inStore(({ tx }) => tx.run(sql`select from order_walks where store_id = ${storeId}`))
    return [name === 'Renamed', webhooksUrl, walks]
  }
  const unanswered = aPlatform({ ensure: UNANSWERED, shop: SHOP })
  assert.deepEqual(await unanswered.connections.check(storeId), UNANSWERED)
  // Not every topic was told the address.
  assert.deepEqual(await corrected(), [false, null, 0])
  const refused = aPlatform({ ensure: TOPIC_REFUSED, shop: SHOP })
  assert.deepEqual(await refused.connections.check(storeId), TOPIC_REFUSED)
  assert.deepEqual(await corrected(), [true, 'https://us.example/hooks', 1])
})

test('stores whose platforms were told another address of ours are checked at once', async () => {
  const { storeId, inStore } = await aStore(db)
  await aPlatform().connections.connect(await platformAccess(db, testVault, storeId))
  const isDue = () =>
    inStore(({ tx }) =>
      tx.run(sql`select from reconciliations
                  where store_id = ${storeId} and kind = 'webhooks' and next_at <= statement_timestamp()`)
    )
  await aPlatform().connections.checkMoved()
  assert.equal(await isDue(), 0)
  await aPlatform({ url: 'https://new.example/hooks' }).connections.checkMoved()
  assert.equal(await isDue(), 1)
})

test('when the app is uninstalled the store is disconnected once, and the connector to it forgotten', async () => {
  const { storeId, inStore } = await aStore(db)
  const { connections, calls } = aPlatform()
  await connections.checkUninstalled(storeId)
  assert.deepEqual(calls, [
    `forget ${storeId}`,
    `${storeId}: The platform has uninstalled the app: nothing is billed until it is connected again`
  ])
  const alerts = () => inStore(({ tx }) => tx.run(sql`select from alerts where store_id = ${storeId}`))
  assert.equal(await alerts(), 1)
  await assert.rejects(connections.connectorOf(storeId), /disconnected/)
  await assert.rejects(connections.checkUninstalled(storeId), /disconnected/)
  assert.equal(calls.length, 2)
  assert.equal(await alerts(), 1)
})

test('a token that is issued while the platform refuses the one before is kept', async () => {
  const { storeId, inStore } = await aStore(db)
  const before = await platformAccess(db, testVault, storeId)
  const { connections, calls, answers } = aPlatform()
  answers.duringRead = async () => {
    await inStore((ctx) =>
      writeIssuedConnection(ctx, testVault, {
        issued: { ...ISSUED, accessToken: 'issued meanwhile' },
        appSecret: before.appSecret,
        platformUrl: before.url
      })
    )
    evictPlatformAccess(db, storeId)
  }
  await assert.rejects(connections.checkUninstalled(storeId), /another access token/)
  const after = await platformAccess(db, testVault, storeId)
  assert.deepEqual([after.accessToken, after.refreshToken, calls], ['issued meanwhile', 'refresh', []])
  // The message comes again; by then the platform takes the token.
  delete answers.duringRead
  answers.shop = SHOP
  await connections.checkUninstalled(storeId)
  assert.equal((await findStore(db, `store_${storeId}`))!.status, 'active')
})

test('an operator disconnects also from a platform that refuses; our webhooks are removed where it does not', async () => {
  for (const [remove, webhooksRemoved] of [
    [undefined, true],
    [REFUSED, false]
  ] as const) {
    const { storeId } = await aStore(db)
    const { connections, calls } = aPlatform({ remove })
    assert.deepEqual(await connections.leave(storeId), { webhooksRemoved })
    assert.deepEqual(calls, [
      ...(webhooksRemoved ? [] : [`${storeId}: The shop still says that it is maintained: The token is not valid`]),
      'remove a,b',
      `forget ${storeId}`,
      `${storeId}: An operator has disconnected the store: nothing is billed until it is connected again`
    ])
    // There is no token any more.
    assert.deepEqual(await connections.leave(storeId), { webhooksRemoved: false })
    assert.deepEqual(calls.slice(webhooksRemoved ? 3 : 4), [`forget ${storeId}`])
  }
})

test('stores of the sandbox get the address that it has now; only those that are active are connected there again', async () => {
  const { db: alone } = await testDatabase()
  const [active, disconnected, live] = [await aStore(alone), await aStore(alone), await aStore(alone)]
  await alone.inStore(disconnected.storeId, ({ tx, storeId }) =>
    tx.run(sql`update stores set status = 'disconnected' where store_id = ${storeId}`)
  )
  await alone.inStore(live.storeId, ({ tx, storeId }) =>
    tx.run(sql`update stores set sandbox = false where store_id = ${storeId}`)
  )
  const calls: string[] = []
  await moveSandboxStores({
    db: alone,
    vault: testVault,
    sandbox: {
      urlOf: (domain) => `http://127.0.0.1:77/${domain}`,
      createShop: async ({ domain, url }) => void calls.push(`shop ${domain} ${url}`)
    },
    connectStore: async ({ storeId }) => void calls.push(`connect ${storeId}`)
  })
  assert.deepEqual(calls, [`shop ${active.domain} http://127.0.0.1:77/${active.domain}`, `connect ${active.storeId}`])
  const moved = await alone.inInstallation((tx) => tx.run(sql`select from stores where platform_url like '%:77/%'`))
  assert.equal(moved, 2)
  assert.equal((await platformAccess(alone, testVault, live.storeId)).url.includes(':77'), false)
})
