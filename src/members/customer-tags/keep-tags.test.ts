import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { keepReadTags, keepTags } from './keep-tags.ts'

const { db } = await testDatabase()

const at = (minute: number) => Temporal.Instant.from(`2026-01-31T15:${String(minute).padStart(2, '0')}:00Z`)

test('of each tag the newest report counts, whichever comes first; a read says all tags of its time', async () => {
  const store = await aStore(db)
  const reported = ['1', '2'].map((id) => ({ id, email: null, firstName: null, lastName: null }))
  const known = await store.inStore((ctx) => upsertCustomers(ctx, reported))
  const [memberId, other] = ['1', '2'].map((id) => known.get(id)!.id) as [number, number]
  const change = (isPresent: boolean, minute: number, ...tags: string[]) =>
    store.inStore((ctx) => keepTags(ctx, [{ memberId, tags, isPresent, at: at(minute) }]))
  const read = (minute: number, ...tags: string[]) =>
    store.inStore((ctx) => keepReadTags(ctx, [{ memberId, tags, at: at(minute) }]))
  const kept = async (id = memberId) =>
    (
      await store.inStore(({ tx, storeId }) =>
        tx.many(
          row({ key: text }),
          sql`select tag_key as key from customer_tags
               where store_id = ${storeId} and member_id = ${id} and is_present order by 1`
        )
      )
    ).map(({ key }) => key)
  await store.inStore((ctx) => keepTags(ctx, [{ memberId: other, tags: ['Gold'], isPresent: true, at: at(1) }]))
  await change(true, 10, 'Gold', 'press')
  await change(false, 5, 'GOLD')
  assert.deepEqual(await kept(), ['gold', 'press'])
  await change(false, 20, 'gold')
  await change(true, 15, 'Gold')
  assert.deepEqual(await kept(), ['press'])
  // A read of before says nothing of what came after.
  await read(12, 'gold', 'old')
  assert.deepEqual(await kept(), ['old'])
  await read(30, 'Gold')
  assert.deepEqual(await kept(), ['gold'])
  await read(25)
  assert.deepEqual(await kept(), ['gold'])
  await read(40)
  assert.deepEqual([await kept(), await kept(other)], [[], ['gold']])
})
