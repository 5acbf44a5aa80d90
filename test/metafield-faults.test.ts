// What a platform may do in the middle of a first sync of metafields: it refuses the token, throttles for an hour, and its answers break
// off. All is written in the end, and nothing twice. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bool, int, nullable, row, sql, text } from '#kit/postgres'
import { movePlatform, platformAccess, setClock, storeNow } from '#stores'
import { createMetafieldEngine } from '../src/mirror/metafields/metafield-engine.ts'
import { beginMetafields, findMetafieldTotals } from '../src/mirror/metafields/metafield-store.ts'
import { createMetafieldWalkEngine } from '../src/mirror/metafields/metafield-walk-engine.ts'
import { refreshCustomerMetafields } from '../src/mirror/metafields/refresh-metafields.ts'
import { connectorTo } from './connectors.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { aScriptedConnection, type Fate, type ScriptedCall } from './scripted-connection.ts'
import { startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service

/** More than fit into two calls, which set 25 metafields each. */
const PEOPLE = 18
/** How far both clocks are moved at once while a platform throttles. */
const STEP = { minutes: 3 }
const STEPS_PER_HOUR = 20
const KEYS = ['svc_hash', 'svc_member_details', 'svc_st']
/** Metafields of the shop: all but those of the Elite plan. */
const OF_SHOP = 17

const isSet = ({ operation }: ScriptedCall) => operation === 'MetafieldsSet'
const ownersOf = ({ variables }: ScriptedCall): string[] => [
  ...new Set<string>((variables.metafields ?? []).map((one: any) => one.ownerId))
]
const isOfCustomers = (one: ScriptedCall) => isSet(one) && /\/Customer\//.test(ownersOf(one)[0]!)

/**
 * A store with customers who have credit, of whose metafields nothing was written yet, as after its connection. Its calls go through a line
 * on which `fateOf` decides.
 */
async function aFirstSync(fateOf: (one: ScriptedCall) => Fate | Promise<Fate>) {
  const store = await service.aStore()
  const { storeId } = store
  const inStore = <T>(work: Parameters<typeof db.inStore<T>>[1]) => db.inStore(storeId, work)
  const settle = () => service.deps.settle(storeId)
  for (let i = 0; i < PEOPLE; i++) {
    const { id } = await store.customer(`p${i}@example.com`)
    const added = { amount: 5, reason: 'Test' }
    const done = await service.post(`/store-credits/${id}/add`, store.key, added, { 'idempotency-key': id })
    assert.equal(done.status, 200)
  }
  const totals = async () => (await inStore((ctx) => findMetafieldTotals(ctx)))!
  const isCompared = async () => {
    const { over } = await inStore((ctx) =>
      ctx.tx.one(
        row({ over: bool }),
        sql`select finished_at is not null as over from metafield_stores where store_id = ${ctx.storeId}`
      )
    )
    return over
  }
  await until('the walk after the connection', async () => {
    await settle()
    return isCompared()
  })
  await inStore(async (ctx) => {
    for (const table of ['known_metafields', 'metafield_owners', 'sandbox.metafields'])
      await ctx.tx.run({
        name: `empty_${table}`,
        text: `delete from ${table} where store_id = $1`,
        values: [storeId]
      })
    await ctx.tx.run(sql`
      update metafield_stores set shop_id = null, phase = 'start', written = 0, finished_at = null where store_id = ${storeId}`)
    await beginMetafields(ctx)
  })
  const line = await aScriptedConnection(service.urls.sandbox, fateOf)
  beforeDrop(async () => line.close())
  await movePlatform(db, storeId, `${line.url}/${store.domain}`)
  /** Which metafields the platform has set by our calls, each as often as it was. */
  const writes = () =>
    line.calls
      .filter((one) => isSet(one) && one.answer?.data?.metafieldsSet?.userErrors.length === 0)
      .flatMap(({ variables }) => variables.metafields.map((one: any) => `${one.ownerId} ${one.key}`))
  const ofCustomers = async () => {
    const found = await inStore((ctx) =>
      ctx.tx.many(
        row({ owner: text, key: text }),
        sql`select owner_id::text as owner, key from sandbox.metafields
             where store_id = ${ctx.storeId} and owner_type = 'Customer' and namespace = 'svc' order by owner_id, key`
      )
    )
    return [...Map.groupBy(found, ({ owner }) => owner).values()].map((all) => all.map(({ key }) => key))
  }
  const assertAllOnce = async () => {
    assert.deepEqual(
      await ofCustomers(),
      Array.from({ length: PEOPLE }, () => KEYS)
    )
    const all = writes()
    assert.deepEqual(
      all.filter((one, i) => all.indexOf(one) !== i),
      [],
      'written twice'
    )
    assert.equal(all.length, PEOPLE * KEYS.length + OF_SHOP)
    const { waiting, problems } = await totals()
    assert.deepEqual([waiting, problems, await isCompared()], [0, 0, true])
  }
  const waiting = () =>
    inStore((ctx) =>
      ctx.tx.many(
        row({ attempts: int, lastError: nullable(text), problem: nullable(text) }),
        sql`select attempts, last_error, problem from metafield_owners where store_id = ${ctx.storeId} and due_at is not null`
      )
    )
  const problems = async (): Promise<string[]> => {
    const { problems } = await service.admin('GET', `/status?store=${store.domain}`)
    return problems.map(({ kind }: { kind: string }) => kind)
  }
  const settleWalk = () =>
    until('the walk', async () => {
      await settle()
      return isCompared()
    })
  return { store, isCompared, inStore, settle, settleWalk, line, totals, ofCustomers, assertAllOnce, waiting, problems }
}

test('a token that is revoked in the middle of a first sync loses nothing: what waits is written when it is taken again, and nothing twice', async () => {
  let batches = 0
  const { controls } = service.sandbox
  const sync: Awaited<ReturnType<typeof aFirstSync>> = await aFirstSync(async (one): Promise<Fate> => {
    if (isOfCustomers(one) && ++batches === 2) {
      await controls.install({ storeId: sync.store.storeId, accessToken: 'sbx_another' })
    }
    return 'passes'
  })
  const { store, ofCustomers, totals } = sync
  await until('the token is refused', async () => {
    await sync.settle()
    return (await sync.problems()).includes('token_refused')
  })
  await sync.settle()
  const there = (await ofCustomers()).length
  assert.ok(there > 0 && there < PEOPLE, `${there} customers were written`)
  const waiting = await sync.waiting()
  assert.ok(waiting.length >= PEOPLE - there)
  assert.ok(waiting.every(({ problem }) => problem === null))
  assert.ok(waiting.some(({ lastError }) => /401 to the access token/.test(lastError ?? '')))
  assert.equal((await totals()).waiting, waiting.length)

  // Time passes, and all of it is tried again: nothing is written, and nothing is given up.
  await store.advance({ by: 'P1D' })
  assert.equal((await ofCustomers()).length, there)
  assert.equal((await totals()).problems, 0)
  assert.ok((await sync.problems()).includes('token_refused'))

  await controls.install({ storeId: store.storeId, accessToken: store.platform_token })
  await service.admin('POST', `${store.at}/reconcile`, {})
  await sync.settleWalk()
  await sync.assertAllOnce()
  assert.deepEqual(await sync.problems(), [])
})

for (const fate of ['throttled', 'busy'] as const) {
  test(`a platform that answers nothing but "${fate}" for an hour gets all afterwards, each once, and nothing is given up`, async () => {
    let isThrottling = true
    const sync = await aFirstSync(() => (isThrottling ? fate : 'passes'))
    const { store, inStore } = sync
    const { storeId } = store
    // As the service's own, but it waits for the budget no ten seconds of each call.
    const connector = connectorTo(await platformAccess(db, testVault, storeId), { throttleWaitMs: 50 })
    const deps = { db, leaseOwner: 1, connectorOf: async () => connector, canMail: async () => false }
    const [engine, walk] = [createMetafieldEngine(deps), createMetafieldWalkEngine(deps)]
    /** Moves the clock of the store, by which owners wait, and the real one, by which the walk does. */
    const step = async () => {
      const now = await storeNow(db, storeId)
      await inStore(async (ctx) => {
        await setClock(ctx, now.add(STEP))
        await ctx.tx.run(
          sql`update metafield_stores set next_at = next_at - ${STEP.minutes} * interval '1 minute' where store_id = ${storeId}`
        )
      })
      for (let done = 1; done > 0; ) done = (await engine.runOnce(storeId)) + (await walk.runOnce(storeId))
    }
    // Customers change meanwhile, and each change is one of those that wait.
    const members = await inStore((ctx) =>
      ctx.tx.many(row({ id: int }), sql`select id from members where store_id = ${ctx.storeId} order by id`)
    )
    for (let i = 0; i < STEPS_PER_HOUR; i++) {
      if (i % 7 === 0)
        await inStore((ctx) =>
          refreshCustomerMetafields(
            ctx,
            members.map(({ id }) => id)
          )
        )
      await step()
    }
    const waiting = await sync.waiting()
    assert.ok(waiting.length >= PEOPLE, 'all of them wait still')
    assert.ok(waiting.every(({ problem }) => problem === null))
    assert.ok(waiting.every(({ lastError }) => lastError !== null))
    if (fate === 'throttled') assert.ok(waiting.every(({ attempts }) => attempts === 0))
    assert.deepEqual(
      (await sync.problems()).filter((kind) => /dead|fail/.test(kind)),
      []
    )
    assert.deepEqual(await sync.ofCustomers(), [])

    isThrottling = false
    await until('all is written', async () => {
      await step()
      await sync.settle()
      const { waiting } = await sync.totals()
      return waiting === 0 && (await sync.isCompared())
    })
    await sync.assertAllOnce()
  })
}

for (const fate of ['cut', 'half'] as const) {
  test(`a write whose answer is ${fate} off is read before it is written again, and nothing is written twice`, async () => {
    const cut: ScriptedCall[] = []
    const sync = await aFirstSync((one) => {
      // The first answer to each kind of call, and that to a second write.
      const isNext = (operation: string, times: number) =>
        one.operation === operation && cut.filter((before) => before.operation === operation).length < times
      const isCut = isNext('MetafieldsSet', 3) || isNext('CustomerMetafields', 1) || isNext('ShopMetafields', 1)
      if (isCut) cut.push(one)
      return isCut ? fate : 'passes'
    })
    const { store, line } = sync
    await until('all is written', async () => {
      await sync.settle()
      await store.advance({ by: 'PT10M' })
      const { waiting } = await sync.totals()
      return waiting === 0 && (await sync.isCompared())
    })
    assert.deepEqual(cut.map(({ operation }) => operation).toSorted(), [
      'CustomerMetafields',
      ...['MetafieldsSet', 'MetafieldsSet', 'MetafieldsSet'],
      'ShopMetafields'
    ])
    for (const lost of cut.filter(isSet)) {
      assert.deepEqual(lost.answer.data.metafieldsSet.userErrors, [], 'it was carried out')
      const after = line.calls.slice(line.calls.indexOf(lost) + 1)
      for (const owner of ownersOf(lost)) {
        const names = after.filter((one) =>
          one.operation === 'ShopMetafields'
            ? owner.includes('/Shop/')
            : ownersOf(one).includes(owner) || one.variables.ids?.includes(owner)
        )
        assert.match(names[0]!.operation, /^(Shop|Customer)Metafields$/, `${owner} is read first`)
        assert.deepEqual(names.filter(isSet), [], `${owner} is not written again`)
      }
    }
    await sync.assertAllOnce()
  })
}
