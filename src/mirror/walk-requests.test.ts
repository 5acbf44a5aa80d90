// Who has all tags or metafields compared waits for a comparison that began after the request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ctx, sql } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import {
  beginMetafields,
  claimMetafieldWalk,
  markWalkFailed,
  markWalkStep,
  type WalkStep
} from './metafields/metafield-store.ts'
import { metafieldsSyncedSince, syncMetafields } from './metafields/sync-metafields.ts'
import { syncedSince, syncTags } from './tags/sync-tags.ts'
import { claimTagWalk, markTagPage, markTagPageFailed, type TagPlace, type TagWalk } from './tags/tag-walks.ts'

const { db } = await testDatabase()
const LEASE_MS = 60_000

type InStore = Awaited<ReturnType<typeof aStore>>['inStore']

function tagWalkOf(inStore: InStore) {
  const claim = () => inStore((ctx) => claimTagWalk(ctx, 1, LEASE_MS))
  const mark = (walk: TagWalk, next: TagPlace, compared: number) =>
    inStore((ctx) => markTagPage(ctx, walk, { next, compared, differed: 0 }))
  const sync = async () => {
    const before = await inStore((ctx) => syncTags(ctx, null))
    return async () => (await inStore((ctx) => syncedSince(ctx, before, null))).compared
  }
  return { claim, mark, sync }
}

test('a sync of tags ends with a walk that began after it, and says what that has compared', async () => {
  const { claim, mark, sync } = tagWalkOf((await aStore(db)).inStore)
  const first = await sync()
  await mark((await claim())!, { kind: 'customer', afterId: 200 }, 200)
  // The first page of the walk was compared before this request, the second is being compared.
  const underWay = (await claim())!
  assert.deepEqual([underWay.kind, underWay.afterId], ['customer', 200])
  const second = await sync()
  await mark(underWay, null, 30)
  assert.deepEqual([await first(), await second()], [null, null])
  const again = (await claim())!
  assert.deepEqual([again.kind, again.afterId], ['customer', 0])
  await mark(again, null, 230)
  assert.deepEqual([await first(), await second()], [230, 230])
  // The next walk counts anew, which says nothing of the one that has ended.
  await sync()
  await claim()
  assert.equal(await second(), 230)
})

test('a page that fails does not put off what was asked for meanwhile', async () => {
  const { inStore } = await aStore(db)
  const { claim, mark, sync } = tagWalkOf(inStore)
  await sync()
  const failing = (await claim())!
  const second = await sync()
  await inStore((ctx) => markTagPageFailed(ctx, failing, 'no answer'))
  await mark((await claim())!, null, 5)
  assert.equal(await second(), 5)
  // One that nobody has asked about since is put off.
  await sync()
  await inStore(async (ctx) => markTagPageFailed(ctx, (await claimTagWalk(ctx, 1, LEASE_MS))!, 'no answer'))
  assert.equal(await claim(), null)
})

test('a sync of metafields ends with the walk that began after it, at no moment before', async () => {
  const { inStore, storeId } = await aStore(db)
  const claim = () => inStore((ctx) => claimMetafieldWalk(ctx, 1, LEASE_MS))
  const step = async (given: WalkStep) => {
    const walk = (await claim())!
    await inStore((ctx) => markWalkStep(ctx, walk, given))
  }
  const sync = async () => {
    const before = await inStore((ctx) => syncMetafields(ctx, null))
    return async () => (await inStore((ctx) => metafieldsSyncedSince(ctx, before, null))).compared
  }
  const connect = (ctx: Ctx) =>
    ctx.tx.run(sql`update stores set connected_at = statement_timestamp() where store_id = ${storeId}`)
  await inStore(connect)
  await inStore(beginMetafields)
  const first = await sync()
  await step({ phase: 'members', compared: 40 })
  const second = await sync()
  await step({ phase: null })
  assert.deepEqual([await first(), await second()], [40, null])
  // The second walk is claimed, and has recorded nothing yet.
  const starting = (await claim())!
  assert.equal(starting.phase, 'start')
  assert.deepEqual([await first(), await second()], [40, null])
  await inStore((ctx) => markWalkFailed(ctx, starting, 'no answer'))
  assert.equal(await second(), null)
  await inStore(({ tx }) =>
    tx.run(sql`update metafield_stores set next_at = statement_timestamp() where store_id = ${storeId}`)
  )
  await step({ phase: 'members', compared: 41 })
  await step({ phase: null })
  assert.deepEqual([await first(), await second()], [41, 41])
})
