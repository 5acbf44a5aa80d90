import assert from 'node:assert/strict'
import { test } from 'node:test'
import { json, row, sql, text } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { lockProfiles } from './profile-queries.ts'
import { listProfilesToPush, type PlatformProfile, type ProfilePushed, settleProfiles } from './push-profiles.ts'
import { setMembershipStatuses } from './set-membership-status.ts'
import { updateMember } from './update-member.ts'
import { upsertCustomers } from './upsert-customers.ts'

const { db } = await testDatabase()

const at = (hour: number) => Temporal.Instant.from('2026-01-31T00:00:00Z').add({ hours: hour })
const ADA = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Adler' }

/** Ada, updated by the platform at one o'clock, with a change of ours that waits to be pushed. */
async function pushing(changed: Parameters<typeof updateMember>[2]) {
  const store = await aStore(db, { clockAt: at(2) })
  const reported = { id: '77', ...ADA, updatedAt: at(1) }
  const memberId = (await store.inStore((ctx) => upsertCustomers(ctx, [reported]))).get('77')!.id
  const membership = { memberId, status: 'active', planId: null, memberSince: at(1), nextBillingAt: null } as const
  await store.inStore((ctx) => setMembershipStatuses(ctx, [membership]))
  const change = (changed: Parameters<typeof updateMember>[2]) =>
    store.inStore((ctx) => updateMember(ctx, memberId, changed))
  await change(changed)
  const [push] = await store.inStore((ctx) => listProfilesToPush(ctx, [memberId]))
  return {
    push: push!,
    change,
    /** An update of Ada by the platform. */
    receiveUpdate: (update: Partial<PlatformProfile>) =>
      store.inStore((ctx) => upsertCustomers(ctx, [{ ...reported, ...update }])),
    settle: async (reported: ProfilePushed['reported']) =>
      (await store.inStore((ctx) => settleProfiles(ctx, [{ push: push!, reported }])))[0],
    now: async () => {
      const [member] = await store.inStore((ctx) => lockProfiles(ctx, [memberId]))
      const { email, firstName, lastName, profilePending } = member!
      return [email, firstName, lastName, profilePending]
    },
    reported: () =>
      store.inStore(({ tx, storeId }) =>
        tx.many(
          row({ type: text, changes: json<unknown>() }),
          sql`select name as type, data::jsonb -> 'changes' as changes from facts
               where store_id = ${storeId} and name = 'member.updated' order by id`
        )
      )
  }
}

test('only waiting fields are pushed; the result is stored, and other fields follow the platform', async () => {
  const { push, settle, now, reported } = await pushing({ email: 'New@example.com' })
  assert.deepEqual(push.changed, { email: 'New@example.com' })
  const pushed = { email: 'new@example.com', firstName: 'Augusta', lastName: null, updatedAt: at(2) }
  assert.equal(await settle(pushed), 'settled')
  assert.deepEqual(await now(), ['new@example.com', 'Augusta', 'Adler', []])
  assert.deepEqual((await reported()).at(-1)!.changes, {
    email: { from: 'New@example.com', to: 'new@example.com' },
    first_name: { from: 'Ada', to: 'Augusta' }
  })
})

test('a birth date that is changed meanwhile does not delay the push', async () => {
  const { change, settle, now } = await pushing({ email: 'new@example.com' })
  await change({ birthDate: Temporal.PlainDate.from('1990-01-01') })
  await settle({ ...ADA, email: 'new@example.com', updatedAt: at(2) })
  assert.deepEqual(await now(), ['new@example.com', 'Ada', 'Adler', []])
})

test('an update of a field that does not wait, received meanwhile, stays and does not delay the push', async () => {
  const { receiveUpdate, settle, now } = await pushing({ email: 'new@example.com' })
  const update = { ...ADA, email: 'new@example.com', firstName: 'Augusta', updatedAt: at(2) }
  await receiveUpdate(update)
  await settle(update)
  assert.deepEqual(await now(), ['new@example.com', 'Augusta', 'Adler', []])
})

test('a field that is changed again meanwhile keeps waiting; the others of the push are settled', async () => {
  const { change, settle, now } = await pushing({ email: 'new@example.com', firstName: 'Grace' })
  await change({ firstName: 'Gracia' })
  await settle({ ...ADA, email: 'new@example.com', firstName: 'Grace', updatedAt: at(2) })
  assert.deepEqual(await now(), ['new@example.com', 'Gracia', 'Adler', ['first_name']])
})

test('a field that is first changed meanwhile waits, and is not reverted', async () => {
  const { change, settle, now } = await pushing({ email: 'new@example.com' })
  await change({ lastName: 'Hopper' })
  await settle({ ...ADA, email: 'new@example.com', updatedAt: at(2) })
  assert.deepEqual(await now(), ['new@example.com', 'Ada', 'Hopper', ['last_name']])
})

test('a result older than a received customer update is not stored; a new read is', async () => {
  const { receiveUpdate, settle, now } = await pushing({ email: 'new@example.com' })
  const newest = { ...ADA, email: 'newer@example.com', firstName: 'Augusta', updatedAt: at(3) }
  await receiveUpdate(newest)
  assert.equal(await settle({ ...ADA, updatedAt: at(1) }), 'stale')
  assert.equal(await settle({ ...ADA, email: 'new@example.com', updatedAt: at(2) }), 'stale')
  assert.deepEqual(await now(), ['new@example.com', 'Augusta', 'Adler', ['email']])
  assert.equal(await settle(newest), 'settled')
  assert.deepEqual(await now(), ['newer@example.com', 'Augusta', 'Adler', []])
})

test('a customer who was deleted on the platform stays unchanged here', async () => {
  const { settle, now } = await pushing({ email: 'new@example.com' })
  await settle(null)
  assert.deepEqual(await now(), ['new@example.com', 'Ada', 'Adler', []])
})

test('a text that is too long is cut, never within a character', async () => {
  const { settle, now } = await pushing({ firstName: null })
  await settle({
    email: `${'e'.repeat(320)}@example.com`,
    firstName: '😀'.repeat(255),
    lastName: 'é'.repeat(200),
    updatedAt: null
  })
  assert.deepEqual(await now(), ['e'.repeat(320), '😀'.repeat(200), 'é'.repeat(200), []])
})
