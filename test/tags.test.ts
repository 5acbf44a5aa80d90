// The tags that we keep on customers and orders of the platform. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { applyReportedTags, setWantedTags, syncTags } from '#mirror'
import type { Connector, PlatformFailure } from '#platform'
import { setClock } from '#stores'
import { auditTags, TAG_CALLS } from '../src/audit/audit-tags.ts'
import { allow } from '../src/audit/platform-calls.ts'
import { createTagEngine } from '../src/mirror/tags/tag-engine.ts'
import { adminOf } from './admin-calls.ts'
import { commandLine } from './command-line.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { call } = adminOf(service)

const VIP = 'SVC: VIP: Active'
const ELITE = 'SVC: Elite: Active'

async function aShop() {
  const store = await service.aStore()
  const connector = await service.deps.connectorOf(store.storeId)
  const inStore = <T>(work: Parameters<typeof db.inStore<T>>[1]) => db.inStore(store.storeId, work)
  const settle = () => service.deps.settle(store.storeId)
  /** By platform's number: on the platform. */
  const tags = async (id: string, kind: 'customer' | 'order' = 'customer') => {
    const found = await connector.tags.findMany(kind, [id])
    assert.ok(found.ok)
    return found.value.get(id)
  }
  const ok = (result: { ok: boolean }) => assert.ok(result.ok)
  /** As somebody does it in the shop, or another app. */
  const add = async (id: string, ...added: string[]) => ok(await connector.tags.add('customer', id, added))
  const remove = async (id: string, ...removed: string[]) => ok(await connector.tags.remove('customer', id, removed))
  const memberIdOf = async (customerId: string) =>
    (
      await inStore((ctx) =>
        ctx.tx.one(
          row({ id: int }),
          sql`select id from members where store_id = ${ctx.storeId} and platform_customer_id = ${customerId}`
        )
      )
    ).id
  const subscriptionOf = async (customerId: string) => {
    const memberId = await memberIdOf(customerId)
    const found = await inStore((ctx) =>
      ctx.tx.many(
        row({ id: int }),
        sql`select id from subscriptions where store_id = ${ctx.storeId} and member_id = ${memberId} order by id desc`
      )
    )
    return found[0]!.id
  }
  const owner = async (customerId: string) => {
    const memberId = await memberIdOf(customerId)
    return inStore((ctx) =>
      ctx.tx.maybeOne(
        row({ dueAt: nullable(text), attempts: int, problem: nullable(text), lastError: nullable(text) }),
        sql`
        select due_at::text as due_at, attempts, problem, last_error from tag_owners
         where store_id = ${ctx.storeId} and kind = 'customer' and owner_id = ${memberId}`
      )
    )
  }
  /** Does something with the newest subscription of a customer. */
  const act = async (customerId: string, action: string, body: object = {}, method = 'POST') => {
    const done = await call(store, method, `/subscriptions/sub_${await subscriptionOf(customerId)}/${action}`, body)
    assert.equal(done.status, 200, JSON.stringify(done.body))
    await settle()
  }
  const plan = (name: string, type: string) =>
    service.admin('POST', `${store.at}/plans`, { name, type, price: '59.00', interval: 'month' })
  /** The engine alone, with some calls replaced. */
  const engine = (calls: Partial<Connector['tags']>, leaseOwner = 1) =>
    createTagEngine({
      db,
      leaseOwner,
      connectorOf: async () => withCalls(connector, { tags: calls }),
      patience: { slowMs: 10, comeBackMs: 20 }
    })
  const join = async (email: string, planName = 'VIP') => {
    const { customer, order_id: orderId } = await store.member(email, planName)
    await settle()
    return { id: customer.id, orderId }
  }
  return {
    store,
    connector,
    inStore,
    settle,
    tags,
    add,
    remove,
    memberIdOf,
    subscriptionOf,
    act,
    owner,
    plan,
    engine,
    join
  }
}

/** Rounds until nothing is left to do. */
async function runOut(engine: ReturnType<typeof createTagEngine>, storeId: number) {
  while ((await engine.runOnce(storeId)) > 0);
}

/** A mutation whose answer is lost after it was carried out. */
const LOST: PlatformFailure = { kind: 'unavailable', message: 'The answer was lost', outcomeUnknown: true }

test('active tags follow the membership: in a trial and in dunning too, not when paused or ended', async () => {
  const { store, join, tags, act } = await aShop()
  const { id } = await join('ada@example.com')
  assert.deepEqual(await tags(id), [VIP])
  await act(id, 'pause')
  assert.deepEqual(await tags(id), [])
  await act(id, 'resume')
  assert.deepEqual(await tags(id), [VIP])

  await store.card(id, 'insufficient_funds')
  await store.advance({ to: '2026-03-01T16:00:00Z' })
  const [attempt] = (await service.get('/billing-attempts?status=failed', store.key)).body.data
  assert.ok(attempt, 'in dunning')
  assert.deepEqual(await tags(id), [VIP])
  await act(id, 'cancel')
  assert.deepEqual(await tags(id), [])

  await service.admin('POST', `${store.at}/plans`, {
    name: 'Trial',
    type: 'vip',
    price: '29.00',
    interval: 'month',
    trial_price: '1.00',
    trial_days: 14
  })
  const trial = await join('tia@example.com', 'Trial')
  assert.deepEqual(await tags(trial.id), [VIP])
})

test('VIP and Elite each have their tag, and who holds both has both, whatever the status of the member', async () => {
  const { join, tags, plan, act, store, settle } = await aShop()
  await plan('Elite', 'elite')
  const { id } = await join('ada@example.com', 'Elite')
  assert.deepEqual(await tags(id), [ELITE])
  await service.admin('POST', `${store.at}/sandbox/joins`, { customer: id, plan: 'VIP' })
  await settle()
  assert.deepEqual(await tags(id), [ELITE, VIP])
  // The member's status stays as it is: Elite goes on.
  await act(id, 'cancel')
  assert.deepEqual(await tags(id), [ELITE])
})

test('of a gift the holder has the tag, and whoever loses it has it no more', async () => {
  const { join, tags, act, store } = await aShop()
  const ada = await join('ada@example.com')
  const bo = await store.customer('bo@example.com')
  const cy = await store.customer('cy@example.com')
  await act(ada.id, 'gift', { receiver: 'bo@example.com' })
  assert.deepEqual([await tags(ada.id), await tags(bo.id)], [[], [VIP]])
  await act(ada.id, 'gift', { receiver: 'cy@example.com' })
  assert.deepEqual([await tags(bo.id), await tags(cy.id)], [[], [VIP]])
  await act(ada.id, 'gift', {}, 'DELETE')
  assert.deepEqual([await tags(ada.id), await tags(cy.id)], [[VIP], []])
})

test('a gift beside a membership of their own gives the holder both tags, and takes back its own', async () => {
  const { join, tags, act, plan } = await aShop()
  await plan('Elite', 'elite')
  const bo = await join('bo@example.com')
  const ada = await join('ada@example.com', 'Elite')
  // Neither the status nor the plan of the receiver changes.
  await act(ada.id, 'gift', { receiver: 'bo@example.com' })
  assert.deepEqual([await tags(ada.id), await tags(bo.id)], [[], [ELITE, VIP]])
  await act(ada.id, 'gift', {}, 'DELETE')
  assert.deepEqual([await tags(ada.id), await tags(bo.id)], [[ELITE], [VIP]])
})

test("tags that are not ours are never touched, and another's equal tag that was there before us stays", async () => {
  const { store, settle, tags, add, act, join } = await aShop()
  const customer = await store.customer('ada@example.com')
  await add(customer.id, 'gold', 'svc: vip: ACTIVE')
  await service.admin('POST', `${store.at}/sandbox/joins`, { customer: customer.id, plan: 'VIP' })
  await settle()
  assert.deepEqual(await tags(customer.id), ['gold', 'svc: vip: ACTIVE'])
  await act(customer.id, 'cancel')
  assert.deepEqual(await tags(customer.id), ['gold', 'svc: vip: ACTIVE'])

  const bea = await join('bea@example.com')
  await add(bea.id, 'silver', 'svc: vip: active')
  await act(bea.id, 'cancel')
  assert.deepEqual(await tags(bea.id), ['silver'])
})

test('a tag of ours that somebody removes is put back, and one that somebody adds stays', async () => {
  const { join, tags, add, remove, settle, inStore, store, memberIdOf } = await aShop()
  const { id } = await join('ada@example.com')
  await remove(id, VIP.toUpperCase())
  assert.deepEqual(await tags(id), [])
  await settle()
  assert.deepEqual(await tags(id), [VIP])
  await add(id, ELITE)
  await settle()
  assert.deepEqual(await tags(id), [ELITE, VIP])

  // A message that is lost: the walk over all owners finds it.
  await service.admin('POST', `${store.at}/sandbox/webhook-faults`, { drop: 1, seed: 7 })
  await remove(id, VIP)
  await settle()
  assert.deepEqual(await tags(id), [ELITE])
  await inStore((ctx) => syncTags(ctx, null))
  await settle()
  assert.deepEqual(await tags(id), [ELITE, VIP])
  await remove(id, VIP)
  const ownerId = await memberIdOf(id)
  await inStore((ctx) => syncTags(ctx, { kind: 'customer', ownerId }))
  await settle()
  assert.deepEqual(await tags(id), [ELITE, VIP])
})

test('what happened to tags while the store was disconnected is found when it is connected again', async () => {
  const { join, tags, remove, settle, store } = await aShop()
  const { id } = await join('ada@example.com')
  await service.admin('POST', `${store.at}/disconnect`, {})
  await service.admin('POST', `${store.at}/sandbox/webhook-faults`, { drop: 1, seed: 7 })
  await remove(id, VIP)
  await service.admin('POST', `${store.at}/connect`, {})
  await settle()
  assert.deepEqual(await tags(id), [VIP])
})

test('a tag of ours is put back when somebody replaces all tags of the customer', async () => {
  const store = await aStoreWithEvents(service)
  const { customer } = await store.member('ada@example.com')
  await store.settle()
  await store.shop('mutation($input: CustomerInput!) { customerUpdate(input: $input) { userErrors { message } } }', {
    input: { id: `gid://platform/Customer/${customer.id}`, tags: ['gold'] }
  })
  await store.settle()
  const { tags } = await service.deps.connectorOf(store.storeId)
  const found = await tags.findMany('customer', [customer.id])
  assert.ok(found.ok)
  assert.deepEqual(found.value.get(customer.id), ['gold', VIP])
})

test('two apps that undo each other do so five times in an hour and no more', async () => {
  const { join, tags, remove, settle, store, inStore } = await aShop()
  const { id } = await join('ada@example.com')
  for (let i = 0; i < 5; i++) {
    await remove(id, VIP)
    await settle()
    assert.deepEqual(await tags(id), [VIP])
  }
  await remove(id, VIP)
  await settle()
  assert.deepEqual(await tags(id), [])
  const { run } = commandLine(service)
  const diff = async () =>
    JSON.parse((await run(['tags', 'diff', '--store', store.domain, '--customer', id, '--json'])).out).data[0]
  const waits = async () => {
    const { waiting_since, next_try_at } = await diff()
    return [waiting_since, next_try_at].map((at) => at && Temporal.Instant.from(at))
  }
  const removedAt = await inStore(async ({ now }) => now)
  assert.deepEqual(await waits(), [removedAt, removedAt.add({ hours: 1 })])
  await store.advance({ by: 'PT10M' })
  assert.deepEqual(await waits(), [removedAt, removedAt.add({ hours: 1 })])
  await store.advance({ by: 'PT1H' })
  assert.deepEqual(await tags(id), [VIP])
  assert.deepEqual(await waits(), [null, null])
})

test('an owner whose tags wait already waits no shorter when another comparison is asked for', async () => {
  const { join, settle, memberIdOf, store, inStore } = await aShop()
  const { id } = await join('ada@example.com')
  const ownerId = await memberIdOf(id)
  const { json } = commandLine(service)
  const waits = async () => {
    const [diff] = (await json('tags', 'diff', '--store', store.domain, '--customer', id)).data
    return [diff.waiting_since, diff.next_try_at].map((at) => at && Temporal.Instant.from(at))
  }
  const sync = () => inStore((ctx) => syncTags(ctx, { kind: 'customer', ownerId }))
  const began = await inStore(async ({ now }) => now)
  await sync()
  assert.deepEqual(await waits(), [began, began])
  await inStore((ctx) => setClock(ctx, began.add({ minutes: 10 })))
  await sync()
  assert.deepEqual(await waits(), [began, began])
  await settle()
  assert.deepEqual(await waits(), [null, null])
})

test('the message about what we did ourselves costs no call', async () => {
  const { join, connector, engine, store, settle, owner } = await aShop()
  const { id } = await join('ada@example.com')
  await settle()
  let calls = 0
  const counted: Connector['tags']['findMany'] = (...args) => {
    calls++
    return connector.tags.findMany(...args)
  }
  await runOut(engine({ findMany: counted }), store.storeId)
  assert.equal(calls, 0)
  assert.equal((await owner(id))!.dueAt, null)
})

test('what was added before the answer was lost is ours, and is removed with the membership', async () => {
  const { store, connector, engine, inStore, memberIdOf, tags, owner } = await aShop()
  const { id } = await store.customer('ada@example.com')
  await service.deps.settle(store.storeId)
  const ownerId = await memberIdOf(id)
  const want = (...wanted: string[]) =>
    inStore((ctx) => setWantedTags(ctx, 'customer', 'membership', [{ ownerId, tags: wanted }]))
  await want(VIP)
  const losing: Connector['tags']['add'] = async (...args) => {
    assert.ok((await connector.tags.add(...args)).ok)
    return { ok: false, failure: LOST }
  }
  await runOut(engine({ add: losing }), store.storeId)
  assert.deepEqual(await tags(id), [VIP])
  assert.deepEqual(
    { ...(await owner(id)), dueAt: null },
    { attempts: 1, dueAt: null, lastError: LOST.message, problem: null }
  )
  await want()
  await runOut(engine({}), store.storeId)
  assert.deepEqual(await tags(id), [])
})

test('a removal that is reported after the tags were read, and before that is recorded, is undone', async () => {
  const { store, connector, engine, inStore, memberIdOf, join, tags, remove } = await aShop()
  const { id } = await join('ada@example.com')
  const ownerId = await memberIdOf(id)
  await service.admin('POST', `${store.at}/sandbox/webhook-faults`, { drop: 1, seed: 7 })
  await inStore((ctx) => syncTags(ctx, { kind: 'customer', ownerId }))
  let reads = 0
  const removedAfterRead: Connector['tags']['findMany'] = async (...args) => {
    const found = await connector.tags.findMany(...args)
    if (reads++ === 0) {
      await remove(id, VIP)
      await inStore((ctx) => applyReportedTags(ctx, 'customer', [{ platformId: id, removed: [VIP] }]))
    }
    return found
  }
  await runOut(engine({ findMany: removedAfterRead }), store.storeId)
  assert.deepEqual([await tags(id), reads], [[VIP], 2])
})

test('the platform away: tried again on the schedule, and what was wanted meanwhile is written', async () => {
  const { store, engine, join, act, tags, owner, inStore } = await aShop()
  const { id } = await join('ada@example.com')
  const down = async () => ({ ok: false as const, failure: { kind: 'unavailable' as const, message: 'down' } })
  await inStore((ctx) => ctx.tx.run(sql`update tag_owners set due_at = ${ctx.now} where store_id = ${ctx.storeId}`))
  await runOut(engine({ findMany: down }), store.storeId)
  const waiting = (await owner(id))!
  assert.deepEqual([waiting.attempts, waiting.lastError], [1, 'down'])
  await act(id, 'pause')
  assert.deepEqual(await tags(id), [])
  assert.deepEqual([(await owner(id))!.attempts, (await owner(id))!.dueAt], [0, null])
})

test('what the platform refuses is recorded with its reason and not tried again, and the rest is done all the same', async () => {
  const { store, engine, inStore, join, memberIdOf, tags, owner } = await aShop()
  const { id } = await join('ada@example.com')
  const ownerId = await memberIdOf(id)
  await inStore((ctx) => setWantedTags(ctx, 'customer', 'membership', [{ ownerId, tags: [ELITE] }]))
  let asked = 0
  const refuse = async () => {
    asked++
    return { ok: false as const, failure: { kind: 'rejected' as const, message: 'No more tags', field: 'tags' } }
  }
  for (let i = 0; i < 3; i++) await runOut(engine({ add: refuse }), store.storeId)
  assert.equal(asked, 1)
  assert.deepEqual(await tags(id), [])
  assert.deepEqual(await owner(id), {
    dueAt: null,
    attempts: 0,
    problem: 'The platform refuses the tags: No more tags',
    lastError: null
  })
})

test('a call that hangs holds up its owner only', async () => {
  const { store, connector, engine, inStore, memberIdOf, tags } = await aShop()
  const ids: string[] = []
  for (const name of ['ada', 'bea', 'cy']) ids.push((await store.customer(`${name}@example.com`)).id)
  await service.deps.settle(store.storeId)
  const owners = await Promise.all(ids.map(memberIdOf))
  await inStore((ctx) =>
    setWantedTags(
      ctx,
      'customer',
      'membership',
      owners.map((ownerId) => ({ ownerId, tags: [VIP] }))
    )
  )
  const hang = Promise.withResolvers<void>()
  const slow: Connector['tags']['add'] = async (kind, id, wanted) => {
    if (id === ids[0]) await hang.promise
    return connector.tags.add(kind, id, wanted)
  }
  const running = engine({ add: slow })
  for (let i = 0; i < 5; i++) await running.runOnce(store.storeId)
  assert.deepEqual(await Promise.all(ids.map((id) => tags(id))), [[], [VIP], [VIP]])
  // Another node does not take it meanwhile, and what changes for the others goes on.
  await runOut(engine({}, 2), store.storeId)
  assert.deepEqual(await tags(ids[0]!), [])
  await inStore((ctx) => setWantedTags(ctx, 'customer', 'membership', [{ ownerId: owners[1]!, tags: [] }]))
  // What is wanted of the one that hangs changes under way: it ends as it is wanted last.
  await inStore((ctx) => setWantedTags(ctx, 'customer', 'membership', [{ ownerId: owners[0]!, tags: [ELITE] }]))
  for (let i = 0; i < 5; i++) await running.runOnce(store.storeId)
  assert.deepEqual([await tags(ids[0]!), await tags(ids[1]!)], [[], []])
  hang.resolve()
  await runOut(running, store.storeId)
  assert.deepEqual(await tags(ids[0]!), [ELITE])
})

test('a full customer and a tag too long are a problem that doctor names, and are not tried again until there is room', async () => {
  const { store, connector, engine, tags, add, remove, settle, owner, join } = await aShop()
  const customer = await store.customer('ada@example.com')
  await add(customer.id, ...Array.from({ length: 250 }, (_, i) => `tag-${i}`))
  await service.admin('POST', `${store.at}/sandbox/joins`, { customer: customer.id, plan: 'VIP' })
  await settle()
  assert.equal((await tags(customer.id))!.length, 250)
  const { problem, dueAt } = (await owner(customer.id))!
  assert.equal(problem, `The customer has 250 tags, and the platform takes 250: ${VIP} has no room`)
  assert.equal(dueAt, null)
  const { warnings } = await service.admin('POST', '/doctor', { store: store.id })
  assert.deepEqual(
    warnings.map(({ check, subject, message }: any) => [check, subject, message]),
    [['tags_written', `customer ${customer.id}`, problem]]
  )
  let calls = 0
  const counted: Connector['tags']['findMany'] = (...args) => {
    calls++
    return connector.tags.findMany(...args)
  }
  await join('bea@example.com')
  await runOut(engine({ findMany: counted }), store.storeId)
  assert.equal(calls, 0)
  await remove(customer.id, 'tag-7')
  await call(store, 'POST', '/tags/sync', { customer: customer.id })
  await settle()
  assert.ok((await tags(customer.id))!.includes(VIP))
  assert.equal((await owner(customer.id))!.problem, null)
})

test('tags of an order are kept as those of customers', async () => {
  const { store, connector, inStore, join, tags, settle, owner, engine } = await aShop()
  const { id, orderId } = await join('ada@example.com')
  const numbers = await inStore((ctx) =>
    ctx.tx.one(
      row({ id: int }),
      sql`select id from orders where store_id = ${ctx.storeId} and platform_order_id = ${orderId}`
    )
  )
  const want = (...wanted: string[]) =>
    inStore((ctx) => setWantedTags(ctx, 'order', 'classification', [{ ownerId: numbers.id, tags: wanted }]))
  assert.deepEqual(await tags(orderId, 'order'), ['charge-1', 'new-VIP'])
  assert.equal(await want('CHARGE-1', 'new-vip'), 0, 'the same but for case: nothing is written')
  assert.ok((await connector.tags.add('order', orderId, ['wholesale'])).ok)
  assert.ok((await connector.tags.remove('order', orderId, ['NEW-VIP'])).ok)
  await settle()
  assert.deepEqual(await tags(orderId, 'order'), ['charge-1', 'new-VIP', 'wholesale'])
  assert.equal(await want('VIP-Recharge', `deliverySchedule: ${'x'.repeat(40)}`), 1)
  await runOut(engine({}), store.storeId)
  assert.deepEqual(await tags(orderId, 'order'), ['VIP-Recharge', 'wholesale'])
  const { warnings } = await service.admin('POST', '/doctor', { store: store.id })
  assert.match(
    warnings[0].message,
    /A tag of this order has 58 characters, and the platform takes 40: deliverySchedule: x+/
  )
  assert.equal((await owner(id))!.problem, null)
})

test('a customer whom the platform has deleted is forgotten, and of merged ones the kept one has the tag as ours', async () => {
  const { store, join, tags, settle, owner, act } = await aShop()
  const gone = await join('gone@example.com')
  await service.admin('POST', `${store.at}/sandbox/deletions`, { customer: gone.id })
  await settle()
  assert.equal(await owner(gone.id), null)

  const kept = await store.customer('kept@example.com')
  await settle()
  const merged = await join('merged@example.com')
  await service.admin('POST', `${store.at}/sandbox/merges`, { customer: merged.id, into: kept.id })
  await settle()
  assert.deepEqual(await tags(kept.id), [VIP])
  assert.equal(await owner(merged.id), null)
  await act(kept.id, 'cancel')
  assert.deepEqual(await tags(kept.id), [])
})

test('doctor finds a tag that the platform lacks although nothing waits, and one that is wanted without a membership', async () => {
  const { store, join, remove, inStore, tags, settle, memberIdOf } = await aShop()
  const { id } = await join('ada@example.com')
  const bea = await join('bea@example.com')
  const report = async () => {
    const { findings, checked, not_checked: notChecked } = await service.admin('POST', '/doctor', { store: store.id })
    // Two customers and their orders.
    assert.deepEqual([checked.platform_tags_agree, notChecked], [4, []])
    return findings.map(({ check, subject, message }: any) => [check, subject, message])
  }
  assert.deepEqual(await report(), [])
  await service.admin('POST', `${store.at}/sandbox/webhook-faults`, { drop: 1, seed: 7 })
  await remove(id, VIP)
  assert.deepEqual(await report(), [['platform_tags_agree', `customer ${id}`, `lacks the tag ${VIP}`]])
  await inStore((ctx) => syncTags(ctx, null))
  await settle()
  assert.deepEqual([await tags(id), await report()], [[VIP], []])

  const ownerId = await memberIdOf(bea.id)
  await inStore((ctx) => setWantedTags(ctx, 'customer', 'membership', [{ ownerId, tags: [ELITE] }]))
  await settle()
  assert.deepEqual(await report(), [
    ['tags_follow_memberships', `cust_${ownerId}`, `holds an active membership and is not to have the tag ${VIP}`],
    ['tags_follow_memberships', `cust_${ownerId}`, `is to have the tag ${ELITE} and holds no such active membership`]
  ])
  await inStore((ctx) => syncTags(ctx, { kind: 'customer', ownerId }))
  await settle()
  assert.deepEqual([await tags(bea.id), await report()], [[VIP], []])
})

test('doctor finds nothing wrong with an owner that the engine brings in order while doctor reads', async () => {
  const { store, connector, engine, inStore, memberIdOf, tags } = await aShop()
  const { id } = await store.customer('ada@example.com')
  await service.deps.settle(store.storeId)
  const ownerId = await memberIdOf(id)
  await inStore((ctx) => setWantedTags(ctx, 'customer', 'membership', [{ ownerId, tags: [VIP] }]))
  const connectorOf = async () =>
    withCalls(connector, {
      tags: {
        async findMany(...args) {
          const found = await connector.tags.findMany(...args)
          await runOut(engine({}), store.storeId)
          return found
        }
      }
    })
  const audited = await auditTags(db, store.storeId, connectorOf, allow(TAG_CALLS), { isAll: true })
  assert.deepEqual(audited, { checked: 1, findings: [], notChecked: [] })
  assert.deepEqual(await tags(id), [VIP])
})

test('members from before there were tags get theirs from the first walk', async () => {
  const { store, join, tags, remove, inStore, settle } = await aShop()
  const { id } = await join('ada@example.com')
  await service.admin('POST', `${store.at}/sandbox/webhook-faults`, { drop: 1, seed: 7 })
  await remove(id, VIP)
  await inStore(async ({ tx, storeId }) => {
    await tx.run(sql`delete from known_tags where store_id = ${storeId}`)
    await tx.run(sql`delete from wanted_tags where store_id = ${storeId}`)
    await tx.run(sql`delete from tag_owners where store_id = ${storeId}`)
  })
  await inStore((ctx) =>
    ctx.tx.run(sql`update tag_walks set next_at = statement_timestamp() where store_id = ${ctx.storeId}`)
  )
  await settle()
  assert.deepEqual(await tags(id), [VIP])
})

test('two nodes that are at work at once write each owner once', async () => {
  const { store, connector, engine, inStore, memberIdOf, tags } = await aShop()
  const ids: string[] = []
  for (let i = 0; i < 60; i++) ids.push((await store.customer(`person-${i}@example.com`)).id)
  await service.deps.settle(store.storeId)
  const owners = await Promise.all(ids.map(memberIdOf))
  const wanted = owners.map((ownerId) => ({ ownerId, tags: [VIP] }))
  await inStore((ctx) => setWantedTags(ctx, 'customer', 'membership', wanted))
  const written: string[] = []
  const counted: Connector['tags']['add'] = (kind, id, added) => {
    written.push(id)
    return connector.tags.add(kind, id, added)
  }
  await Promise.all([1, 2].map((leaseOwner) => runOut(engine({ add: counted }, leaseOwner), store.storeId)))
  assert.deepEqual(written.toSorted(), ids.toSorted())
  assert.deepEqual(await tags(ids.at(-1)!), [VIP])
})

test('the command line compares and corrects', async () => {
  const { store, inStore, join, remove, tags } = await aShop()
  const { id } = await join('ada@example.com')
  const { json, run } = commandLine(service)
  await service.admin('POST', `${store.at}/sandbox/webhook-faults`, { drop: 1, seed: 7 })
  await remove(id, VIP)
  const ran = (...flags: string[]) => run(['tags', 'diff', '--store', store.domain, ...flags])
  const diff = async (...flags: string[]) => JSON.parse((await ran(...flags, '--json')).out)
  const { data, compared } = await diff()
  assert.equal((await ran()).code, 1, 'something differs')
  assert.equal(compared, 2)
  assert.deepEqual(
    data.map(({ kind, platform_id, wanted, missing, surplus }: any) => [kind, platform_id, wanted, missing, surplus]),
    [['customer', id, [VIP], [VIP], []]]
  )
  const synced = await run(['tags', 'sync', '--store', store.domain, '--customer', 'ada@example.com'])
  assert.match(synced.out, /^Compared: 1\. Added: 1\. Removed: 0\. Left: 0 waiting, 0 with a problem\.\n$/)
  assert.deepEqual(await tags(id), [VIP])
  const same = await diff()
  assert.deepEqual([same.data, same.compared], [[], 2])
  const hours = (Date.parse(same.next_comparison_at) - Date.now()) / 3_600_000
  assert.ok(hours > 20 && hours < 28, same.next_comparison_at)
  assert.match(
    (await ran()).out,
    /\nThe next comparison of all is at \S+Z \(real time\)\. .*perennial tags sync --store/
  )
  assert.deepEqual((await diff('--customer', id)).data[0].missing, [])
  assert.equal((await ran('--customer', id)).code, 0, 'one customer is listed in any case')
  const done = { scope: 'store', compared: 2, added: 0, removed: 0, waiting: 0, problems: 0, last_error: null }
  assert.deepEqual(await json('tags', 'sync', '--store', store.domain), done)
  await remove(id, VIP)
  assert.deepEqual(await json('tags', 'sync', '--store', store.domain), { ...done, added: 1 })
  await remove(id, VIP)
  await service.admin('POST', `${store.at}/sandbox/access`, { without: ['write_customers'] })
  const refused = await run(['tags', 'sync', '--store', store.domain])
  assert.equal(refused.code, 1)
  assert.match(refused.out, /Left: 1 waiting.*\nTo see what is left: perennial tags diff/)
  assert.match((await ran()).out, / PROBLEM\ncustomer .* Access denied .*Required access/)
  assert.match((await diff()).data[0].last_error, /Access denied/)
  await service.admin('POST', `${store.at}/sandbox/access`, { without: [] })
  assert.equal((await run(['tags', 'sync', '--store', store.domain])).code, 0)
  await service.admin('POST', `${store.at}/disconnect`, {})
  const apart = await run(['tags', 'sync', '--store', store.domain])
  assert.match(apart.err, /is disconnected from its platform/)
  await service.admin('POST', `${store.at}/connect`, {})
  const both = await run(['tags', 'sync', '--store', store.domain, '--customer', id, '--order', '1', '--json'])
  assert.match(both.err + both.out, /Give --customer or --order, not both/)
  const nobody = await run(['tags', 'diff', '--store', store.domain, '--order', '1', '--json'])
  assert.match(nobody.err + nobody.out, /There is no order 1/)
  const { data: orders } = await json('orders', 'list', '--store', store.domain)
  const known = await inStore((ctx) =>
    ctx.tx.one(row({ id: int }), sql`select id from orders where store_id = ${ctx.storeId} order by id desc limit 1`)
  )
  const { data: ours } = await diff('--order', `ord_${known.id}`)
  assert.deepEqual([ours.length, ours[0].kind, ours[0].platform_id], [1, 'order', orders[0].id])
})
