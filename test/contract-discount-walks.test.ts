// Which discounts the product contracts of a large store are to have is derived by a walk, a page of members at a time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditStore, auditWarnings } from '#audit'
import { bool, type Ctx, int, nullable, row, sql, text } from '#kit/postgres'
import { settingsOf } from '#stores'
import { deriveWanted } from '../src/mirror/contract-discounts/contract-discount-queries.ts'
import {
  claimContractDiscountWalk,
  markContractDiscountPage,
  markContractDiscountPageFailed
} from '../src/mirror/contract-discounts/contract-discount-walks.ts'
import { refreshContractDiscounts, refreshPage } from '../src/mirror/contract-discounts/refresh-contract-discounts.ts'
import { syncDiscounts } from '../src/mirror/discounts/show-discounts.ts'
import { discountSettings } from '../src/mirror/settings.ts'
import { adminOf } from './admin-calls.ts'
import { testDatabase } from './database.ts'
import { aPlan } from './plan-builder.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { call } = adminOf(service)
const PAGE = 500
const engine = (name: string) => service.engines.find((one) => one.name === name)!
const walk = engine('contract-discount-walk')

const stacked = (value: number) => ({
  discount: { value, type: 'percentage', price_base: 'sale', stack_with_subscriptions: true }
})

/** A store with a VIP plan, one of products, and members who hold a VIP membership and a product contract each; nothing is analyzed. */
async function aShop(members: number, perks: object = {}) {
  const store: Parameters<typeof call>[0] & { storeId: number; at: string } = await service.aStore()
  const { storeId } = store
  const inStore = <T>(work: (ctx: Ctx) => Promise<T>) => db.inStore(storeId, work)
  await aPlan({ inStore }, { name: 'Coffee', type: 'product' })
  const vip = (await service.admin('GET', `${store.at}/plans`)).data.find((one: any) => one.type === 'vip').id as string
  const setPerks = async (value: object) => {
    const done = await call(store, 'PATCH', `/plans/${vip}`, { perks: value })
    assert.equal(done.status, 200, JSON.stringify(done.body))
    for (const name of ['facts', 'facts:discounts']) while ((await engine(name).runOnce(storeId)) > 0);
  }
  await service.deps.settle(storeId)
  await setPerks(perks)
  await service.deps.settle(storeId)
  await inStore(async ({ tx }) => {
    await tx.run(sql`
      insert into members (store_id, platform_customer_id, email, status, member_since, created_at, updated_at)
      select ${storeId}, 5000000 + n, 'person-' || n || '@example.com', 'active', '2026-01-01', '2026-01-01', '2026-01-01'
        from generate_series(1, ${members}::int) n`)
    await tx.run(sql`
      insert into subscriptions (store_id, member_id, plan_id, plan_version, platform_contract_id, platform_revision, name, status,
        price_minor, currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, created_at, updated_at)
      select ${storeId}, m.id, p.id, 1, 7000000 + m.id * 2 + (p.type = 'product')::int, '1', p.name, 'active', 1500, 'USD', 'month', 1,
             '2026-01-01', 1, 1, 2, '2026-01-01', '2026-01-01'
        from (select * from members where store_id = ${storeId} and platform_customer_id::bigint > 5000000) m
        cross join (select * from plans where store_id = ${storeId} and type in ('vip', 'product')) p
       order by m.id, p.type`)
  })
  /** How many contracts are to have a discount, by what it is. */
  const wanted = async (): Promise<number[]> => {
    const rows = await inStore(({ tx }) =>
      tx.many(
        row({ count: int }),
        sql`
        select count(*) as count from contract_discounts
         where store_id = ${storeId} and tier is not null group by terms_hash order by count(*) desc`
      )
    )
    return rows.map(({ count }) => count)
  }
  const state = () =>
    inStore(({ tx }) =>
      tx.one(
        row({ afterId: int, requests: int, isDue: bool, isComparing: bool, lastError: nullable(text) }),
        sql`
        select after_id, requests, next_at <= statement_timestamp() as is_due, is_comparing, last_error
          from contract_discount_walks where store_id = ${storeId}`
      )
    )
  const terms = () =>
    inStore(({ tx }) =>
      tx.many(
        row({ termsHash: nullable(text) }),
        sql`select terms_hash from contract_discount_terms where store_id = ${storeId} order by tier`
      )
    )
  const memberIds = async () => {
    const rows = await inStore(({ tx }) =>
      tx.many(
        row({ id: int }),
        sql`
        select id from members where store_id = ${storeId} and platform_customer_id::bigint > 5000000 order by id`
      )
    )
    return rows.map(({ id }) => id)
  }
  return { ...store, inStore, setPerks, wanted, state, terms, memberIds, vip }
}

/** Does something while another transaction holds all members of the store. */
async function whileMembersAreHeld(storeId: number, work: () => Promise<unknown>): Promise<void> {
  await db.inStore(storeId, async ({ tx }) => {
    await tx.many(row({ id: int }), sql`select id from members where store_id = ${storeId} order by id for update`)
    await work()
  })
}

test('a plan, a setting and the hourly comparison wait for no member, and a walk derives 3,000 members a page at a time', async () => {
  const shop = await aShop(3000)
  const { storeId } = shop
  await whileMembersAreHeld(storeId, async () => {
    await shop.setPerks(stacked(20))
    assert.deepEqual(await shop.wanted(), [], 'the consumer of plans derives no member')
    const { status, body } = await call(shop, 'PATCH', '/settings', { main_plan: { vip: shop.vip } })
    assert.equal(status, 200, JSON.stringify(body))
    while ((await engine('discounts').runOnce(storeId)) > 0);
  })
  assert.equal((await shop.state()).isDue, true)
  const derived: number[] = []
  const heldAtOnce: number[] = []
  while ((await walk.runOnce(storeId)) > 0) {
    derived.push((await shop.wanted())[0] ?? 0)
    heldAtOnce.push(derived.at(-1)! - (derived.at(-2) ?? 0))
    assert.ok(derived.length < 20)
  }
  assert.deepEqual([derived.at(-1), Math.max(...heldAtOnce)], [3000, PAGE])
  // A page that is exactly full may be followed by an empty one.
  assert.ok(derived.length === 3000 / PAGE || derived.length === 3000 / PAGE + 1, `${derived.length} pages`)
  assert.equal((await shop.state()).isDue, false)
  const { findings } = await auditStore(db, storeId)
  assert.deepEqual(
    findings.filter(({ check }) => /^contract_discounts/.test(check)),
    []
  )

  // Nothing is another: the hourly comparison asks for nothing, and a walk writes nothing.
  const { requests } = await shop.state()
  await shop.inStore((ctx) => refreshContractDiscounts(ctx))
  assert.deepEqual([(await shop.state()).requests, (await shop.state()).isDue], [requests, false])
  await shop.inStore(async (ctx) => {
    const written = () =>
      ctx.tx.one(
        row({ count: int }),
        sql`
        select coalesce(sum(n_tup_ins + n_tup_upd), 0)::int as count from pg_stat_xact_user_tables
         where relname = 'contract_discounts'`
      )
    const before = await written()
    await refreshPage(ctx, { afterId: 0, isComparing: false })
    assert.deepEqual(await written(), before)
  })
})

test('a page reads its own members and contracts, without statistics and however many there are', async () => {
  const shop = await aShop(3000, stacked(20))
  const ids = await shop.memberIds()
  const readSoFar = async ({ tx }: Ctx): Promise<number> => {
    const { count } = await tx.one(
      row({ count: int }),
      sql`
      select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as count from pg_stat_xact_user_tables
       where relname in ('members', 'subscriptions', 'contract_discounts')`
    )
    return count
  }
  const readBy = (afterId: number) =>
    shop.inStore(async (ctx) => {
      const before = await readSoFar(ctx)
      await refreshPage(ctx, { afterId, isComparing: true })
      return (await readSoFar(ctx)) - before
    })
  const read: number[] = []
  for (let from = 0; from < 3000; from += PAGE) read.push(await readBy(from === 0 ? 0 : ids[from - 1]!))
  assert.deepEqual(await shop.wanted(), [3000])
  // A member is read a few times with two contracts.
  for (const count of read) assert.ok(count < PAGE * 20, `rows read by each page: ${read.join(', ')}`)
  assert.ok(read.at(-1)! < read[0]! * 1.5, `rows read by each page: ${read.join(', ')}`)
})

test('a walk that is asked for anew begins anew, also while a page is under way, and a failed page is tried again', async () => {
  const shop = await aShop(1200, stacked(20))
  const { storeId } = shop
  await shop.setPerks(stacked(30))
  assert.equal(await walk.runOnce(storeId), 1)
  assert.ok((await shop.state()).afterId > 0)
  await shop.setPerks(stacked(40))
  assert.deepEqual([(await shop.state()).afterId, (await shop.state()).isDue], [0, true])
  for (const end of [false, true]) {
    const claimed = (await shop.inStore((ctx) => claimContractDiscountWalk(ctx, 1, 60_000)))!
    const next = (await shop.inStore((ctx) => refreshPage(ctx, claimed)))!
    await shop.setPerks(stacked(end ? 60 : 50))
    await shop.inStore((ctx) => markContractDiscountPage(ctx, claimed, { afterId: end ? null : next }))
    assert.deepEqual([(await shop.state()).afterId, (await shop.state()).isDue], [0, true])
  }
  const claimed = (await shop.inStore((ctx) => claimContractDiscountWalk(ctx, 1, 60_000)))!
  await shop.inStore((ctx) =>
    markContractDiscountPageFailed(ctx, { ...claimed, failures: 3 }, 'canceling statement due to lock timeout')
  )
  assert.deepEqual(await shop.inStore(allContracts), [
    'which discounts are wanted cannot be derived, 4 times in a row: canceling statement due to lock timeout'
  ])
  await shop.inStore((ctx) => refreshContractDiscounts(ctx, { isComparing: true }))
  while ((await walk.runOnce(storeId)) > 0);
  assert.deepEqual(await shop.wanted(), [1200], 'all have what the last change gives')
  assert.deepEqual(await shop.inStore(allContracts), [])
  assert.equal((await shop.state()).isComparing, false)
})

const allContracts = async (ctx: Ctx) =>
  (await auditWarnings(ctx)).filter(({ subject }) => subject === 'all contracts').map(({ message }) => message)

test('on demand every contract of the walk is compared with the platform, otherwise only those for which something is another', async () => {
  const shop = await aShop(30, stacked(20))
  await shop.inStore((ctx) => refreshContractDiscounts(ctx, { isComparing: true }))
  while ((await walk.runOnce(shop.storeId)) > 0);
  const later = () =>
    shop.inStore(({ tx, storeId }) =>
      tx.run(sql`update contract_discounts set due_at = '2099-01-01' where store_id = ${storeId}`)
    )
  const due = async () => {
    const { count } = await shop.inStore(({ tx, storeId, now }) =>
      tx.one(
        row({ count: int }),
        sql`select count(*) as count from contract_discounts where store_id = ${storeId} and due_at <= ${now}`
      )
    )
    return count
  }
  await later()
  await shop.inStore(({ tx, storeId }) =>
    tx.run(sql`update contract_discount_walks set next_at = statement_timestamp() where store_id = ${storeId}`)
  )
  while ((await walk.runOnce(shop.storeId)) > 0);
  assert.equal(await due(), 0)
  await shop.inStore(syncDiscounts)
  assert.equal(await due(), 0, 'the request asks, and derives nothing')
  while ((await walk.runOnce(shop.storeId)) > 0);
  assert.equal(await due(), 30)
})

test('a contract without a plan that is created behind the walk has the new terms by its fact', async () => {
  const shop = await aShop(600)
  const [first] = await shop.memberIds()
  await shop.setPerks(stacked(20))
  assert.equal(await walk.runOnce(shop.storeId), 1)
  const [before] = await shop.wanted()
  await shop.inStore(async (ctx) => {
    await ctx.tx.run(sql`
      insert into subscriptions (store_id, member_id, platform_contract_id, platform_revision, name, status,
        price_minor, currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, created_at, updated_at)
      values (${ctx.storeId}, ${first}, '99', '1', 'Tea', 'active', 1500, 'USD', 'month', 1, '2026-01-01', 1, 1, 2, '2026-01-01', '2026-01-01')`)
    await deriveWanted(ctx, [first!], false)
  })
  assert.deepEqual(await shop.wanted(), [before! + 1])
  while ((await walk.runOnce(shop.storeId)) > 0);
  // It has no plan: so it is one to products, for the doctor too.
  assert.deepEqual(await shop.wanted(), [601])
  const found = async () => {
    const { findings } = await auditStore(db, shop.storeId)
    return findings.filter(({ check }) => check === 'contract_discounts_follow_memberships').length
  }
  assert.equal(await found(), 0)
  await shop.inStore(({ tx, storeId }) =>
    tx.run(sql`
      delete from contract_discounts
       where store_id = ${storeId} and subscription_id = (
         select id from subscriptions where store_id = ${storeId} and platform_contract_id = '99')`)
  )
  assert.equal(await found(), 1)
})

test('a comparison that has read the settings before they were changed does not write what they gave', async () => {
  const shop = await aShop(3, stacked(20))
  const { body: other } = await call(shop, 'POST', '/plans', {
    name: 'Other',
    type: 'vip',
    price: '9.00',
    interval: 'month',
    perks: stacked(45)
  })
  await shop.inStore((ctx) => refreshContractDiscounts(ctx))
  const before = await shop.terms()
  await shop.inStore(async (ctx) => {
    await settingsOf(ctx, discountSettings)
    const { status, body } = await call(shop, 'PATCH', '/settings', { main_plan: { vip: other.id } })
    assert.equal(status, 200, JSON.stringify(body))
    await refreshContractDiscounts(ctx)
  })
  assert.notDeepEqual(await shop.terms(), before)
})
