// What somebody else has written into our metafields: doctor finds it, an alert names what is corrected. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { auditMetafields } from '../src/audit/audit-metafields.ts'
import { allow } from '../src/audit/platform-calls.ts'
import { keysOf } from '../src/mirror/metafields/all-metafields.ts'
import { walkMetafieldsNow } from '../src/mirror/metafields/metafield-store.ts'
import { adminOf } from './admin-calls.ts'
import { commandLine } from './command-line.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { call } = adminOf(service)
const { run, json } = commandLine(service)

const RULE = 'platform_metafields_agree'
const NO_LIMITS = { days: 0, calls: 1000, ms: 60_000 }

async function aShop() {
  const store = await service.aStore()
  const { storeId, domain } = store
  const connector = await service.deps.connectorOf(storeId)
  const inStore = <T>(work: Parameters<typeof db.inStore<T>>[1]) => db.inStore(storeId, work)
  const settle = () => service.deps.settle(storeId)
  await settle()
  const join = async (email: string) => {
    const { customer } = await store.member(email)
    await settle()
    return customer.id as string
  }
  const digestOf = async (id: string, key: string) => {
    const found = await connector.metafields.findMany('customer', [id], keysOf('customer'))
    assert.ok(found.ok)
    return found.value.get(id)!.get(key)?.digest ?? null
  }
  /** As somebody does it in the shop, or another app. */
  const setByHand = async (id: string, key: string, type: 'json' | 'number_decimal', value: string) => {
    const seenDigest = await digestOf(id, key)
    const done = await connector.metafields.set([{ owner: 'customer', ownerId: id, key, type, value, seenDigest }])
    assert.ok(done.ok, JSON.stringify(done))
  }
  const setShopByHand = async (key: string, value: string) => {
    const found = await connector.metafields.findOfShop(keysOf('shop'))
    assert.ok(found.ok)
    const seenDigest = found.value.metafields.get(key)?.digest ?? null
    const entry = { owner: 'shop' as const, ownerId: found.value.shopId, key, type: 'json' as const, value, seenDigest }
    const done = await connector.metafields.set([entry])
    assert.ok(done.ok, JSON.stringify(done))
  }
  const deleteByHand = (id: string, key: string) =>
    connector.metafields.delete([{ owner: 'customer', ownerId: id, key }])
  const doctor = async (): Promise<unknown[]> => {
    const report = await service.admin('POST', '/doctor', { store: store.id })
    assert.deepEqual(report.not_checked, [])
    return report.findings.map(({ check, subject, message }: any) => [check, subject, message])
  }
  const alerts = async () => {
    const { data } = await service.admin('GET', `${store.at}/alerts`)
    return data
      .filter(({ kind }: any) => kind === 'metafields_changed_by_others')
      .map(({ subject, message }: any) => [subject, message])
  }
  return {
    store,
    storeId,
    domain,
    connector,
    inStore,
    settle,
    join,
    setByHand,
    setShopByHand,
    deleteByHand,
    doctor,
    alerts
  }
}

test('doctor finds what is not on the platform as it is to be, until a sync has put it right', async () => {
  const { store, settle, join, setByHand, setShopByHand, deleteByHand, doctor } = await aShop()
  const id = await join('ada@example.com')
  await join('bea@example.com')
  assert.deepEqual(await doctor(), [])
  await setByHand(id, 'svc_st', 'number_decimal', '99.00')
  await deleteByHand(id, 'svc_hash')
  await setByHand(id, 'customer_subscription2', 'json', '{}')
  await setShopByHand('order_gift', '{"enabled":7}')
  assert.deepEqual(await doctor(), [
    [RULE, 'shop', 'has another value in the metafield order_gift than it is to have'],
    [
      RULE,
      `customer ${id}`,
      'lacks the metafield svc_hash, has another value in the metafield svc_st than it is to have, has the metafield customer_subscription2, which is not to be there'
    ]
  ])
  const { checked } = await service.admin('POST', '/doctor', { store: store.id })
  assert.equal(checked[RULE], 3, 'the shop and two customers')
  await call(store, 'POST', '/metafields/sync', {})
  await settle()
  assert.deepEqual(await doctor(), [])
})

test('what waits, what an event may explain, and what changes while doctor reads are not called wrong', async () => {
  const { store, storeId, join, connector, inStore, setByHand } = await aShop()
  const id = await join('ada@example.com')
  await setByHand(id, 'svc_st', 'number_decimal', '99.00')
  const audit = (findMany = connector.metafields.findMany) =>
    auditMetafields(db, storeId, async () => withCalls(connector, { metafields: { findMany } }), allow(NO_LIMITS), {
      isSandbox: true
    })
  assert.equal((await audit()).findings.length, 1)
  const waiting = await inStore(async (ctx) => {
    await ctx.tx.run(sql`
      update fact_consumers set last_position = position + 1 where store_id = ${ctx.storeId} and consumer = 'metafields'`)
  }).then(() => audit())
  assert.deepEqual(
    [waiting.findings, waiting.notChecked],
    [
      [],
      [
        '1 owners have other metafields on the platform than they are to have, which events may explain that are still to be handled'
      ]
    ]
  )
  await inStore((ctx) =>
    ctx.tx.run(sql`
      update fact_consumers set last_position = position where store_id = ${ctx.storeId} and consumer = 'metafields'`)
  )
  // It is read wrong, and corrected before what is wanted is looked at.
  const meanwhile = await audit(async (...args) => {
    const found = await connector.metafields.findMany(...args)
    const synced = await call(store, 'POST', '/metafields/sync', { customer: id })
    assert.equal(synced.body.written, 1)
    return found
  })
  assert.deepEqual(meanwhile.findings, [])
})

test('doctor reads no more than it may', async () => {
  const { storeId, join, connector } = await aShop()
  await join('ada@example.com')
  const audit = (limits: typeof NO_LIMITS) =>
    auditMetafields(db, storeId, async () => connector, allow(limits), { isSandbox: false })
  const few = await audit({ ...NO_LIMITS, calls: 1 })
  assert.deepEqual(
    [few.checked, few.findings, few.notChecked],
    [0, [], ['metafields on the platform were not all compared: they take more than 1 calls']]
  )
  const late = await audit({ ...NO_LIMITS, ms: 0 })
  assert.deepEqual(late.notChecked, ['metafields on the platform were not all compared: reading took 0 s'])
  assert.equal((await audit({ ...NO_LIMITS, calls: 2 })).checked, 2)
})

test('a sync says what others had changed, and an alert names it; what people are called is not quoted', async () => {
  const { store, domain, join, settle, setByHand, setShopByHand, deleteByHand, alerts } = await aShop()
  const id = await join('ada@example.com')
  const nothing = await json('metafields', 'sync', '--store', domain)
  assert.deepEqual([nothing.changed_by_others, await alerts()], [0, []])
  await setByHand(id, 'svc_st', 'number_decimal', '99.00')
  const one = await run(['metafields', 'sync', '--store', domain, '--customer', id])
  assert.match(one.out, /\nChanged by others: 1\. What was there: perennial alert list --store /)
  await setShopByHand('order_gift', JSON.stringify({ enabled: 'x'.repeat(300) }))
  await setByHand(id, 'svc_member_details', 'json', '{"loyalty_points":0,"birth_date":"1990-01-02"}')
  await deleteByHand(id, 'svc_hash')
  const all = await call(store, 'POST', '/metafields/sync', {})
  await settle()
  assert.deepEqual([all.body.changed_by_others, all.body.written], [3, 3])
  const before = 'On the platform these were not as the service had left them, and it corrects them: '
  const after = '. Somebody has edited them, or another app writes them.'
  assert.deepEqual((await alerts()).toSorted(), [
    [
      '2 metafields were changed by somebody else',
      `${before}the customer ${id}: svc_hash was deleted, svc_member_details${after}`
    ],
    ['A metafield was changed by somebody else', `${before}the customer ${id}: svc_st was 99.00${after}`],
    [
      'A metafield was changed by somebody else',
      `${before}the shop: order_gift was {"enabled":"${'x'.repeat(188)}…${after}`
    ]
  ])
})

test('what the walk over all finds is reported too, and what the service has written itself is not', async () => {
  const { inStore, join, settle, setByHand, alerts, domain } = await aShop()
  const id = await join('ada@example.com')
  await inStore(walkMetafieldsNow)
  await settle()
  assert.deepEqual(await alerts(), [])
  await setByHand(id, 'svc_st', 'number_decimal', '99.00')
  await inStore(walkMetafieldsNow)
  await json('metafields', 'sync', '--store', domain)
  assert.deepEqual(
    (await alerts()).map(([subject]: string[]) => subject),
    ['A metafield was changed by somebody else']
  )
})

test('the commands exit with 1 where something differs, shorten values in their tables only, and say when all are compared next', async () => {
  const { domain, join, setShopByHand } = await aShop()
  await join('ada@example.com')
  const diff = (...flags: string[]) => run(['metafields', 'diff', '--store', domain, ...flags])
  // The comparison after the connection is over then.
  await json('metafields', 'sync', '--store', domain)
  const same = await diff()
  assert.equal(same.code, 0)
  const long = JSON.stringify({ enabled: 'x'.repeat(1000) })
  await setShopByHand('order_gift', long)
  const { code, out } = await diff()
  assert.equal(code, 1)
  assert.ok(Math.max(...out.split('\n').map((line) => line.length)) < 250, out)
  assert.match(out, /order_gift +\{"enabled":0\} +\{"enabled":"x{27}… /)
  assert.match(
    out,
    /\nThe next comparison of all is at \d{4}-\S+Z \(real time\)\. To compare and correct now: perennial metafields sync --store /
  )
  const document = JSON.parse((await diff('--json')).out)
  assert.equal(document.differences[0].found, long)
  const hours = (Date.parse(document.next_comparison_at) - Date.now()) / 3_600_000
  assert.ok(hours > 20 && hours < 28, document.next_comparison_at)
})
