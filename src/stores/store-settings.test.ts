import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dunningSettings } from '#billing/settings'
import { listSettings } from '#kit/define-settings'
import { sql } from '#kit/postgres'
import { reactivationGraceSettings } from '#lifecycle/settings'
import { settingsOf, storeContext, updateSettings } from '#stores'
import { scheduleSettings } from '#subscriptions/settings'
import { testDatabase } from '../../test/database.ts'
import { aStore, type DunningChange } from '../../test/store-builder.ts'

const { db } = await testDatabase()

const DUNNING = {
  retryAfterDays: [2, 5, 7, 7],
  onFailure: 'cancel',
  hardDeclineWaitDays: 21,
  inventory: { retryAfterDays: [1, 1, 2, 3, 7], onFailure: 'skip' }
}

test('a store has the default settings of dunning unless it has set others', async () => {
  const usual = await aStore(db)
  assert.deepEqual(await usual.inStore((ctx) => settingsOf(ctx, dunningSettings)), DUNNING)
  const patient = await aStore(db, { dunning: { onFailure: 'pause' } })
  assert.deepEqual(await patient.inStore((ctx) => settingsOf(ctx, dunningSettings)), { ...DUNNING, onFailure: 'pause' })
  assert.deepEqual(await patient.inStore((ctx) => settingsOf(ctx, scheduleSettings)), { catchUp: 'latest' })
  assert.equal(await patient.inStore((ctx) => settingsOf(ctx, reactivationGraceSettings)), 24)
  assert.deepEqual(await patient.inStore(storeContext), {
    timezone: 'America/New_York',
    pastTimezones: [],
    currency: 'USD',
    profile: 'platform',
    restoredAt: null,
    settings: { dunning: { onFailure: 'pause' } }
  })
})

test('a transaction that is tried again reads its store again, also when the first read failed', async () => {
  const { inStore } = await aStore(db, { currency: 'JPY' })
  let tries = 0
  const found = await inStore(async (ctx) => {
    if (++tries > 1) return storeContext(ctx)
    const failing = sql`select json_build_object()::text::int`
    const [first] = await Promise.allSettled([ctx.tx.run(failing), storeContext(ctx)])
    assert.equal(first.status, 'rejected')
    throw Object.assign(new Error('A deadlock'), { code: '40P01' })
  })
  assert.deepEqual([found.currency, tries], ['JPY', 2])
})

test('changes at once keep what each of them leaves out', async () => {
  const store = await aStore(db)
  await store.inStore((ctx) => updateSettings(ctx, dunningSettings, { inventory: { onFailure: 'pause' } }))
  await Promise.all([
    store.inStore((ctx) => updateSettings(ctx, dunningSettings, { hardDeclineWaitDays: null, retryAfterDays: [] })),
    store.inStore((ctx) => updateSettings(ctx, scheduleSettings, { catchUp: 'all' })),
    store.inStore((ctx) => updateSettings(ctx, reactivationGraceSettings, 48))
  ])
  await store.inStore(async (ctx) => {
    assert.deepEqual(await settingsOf(ctx, dunningSettings), {
      ...DUNNING,
      retryAfterDays: [],
      hardDeclineWaitDays: null,
      inventory: { ...DUNNING.inventory, onFailure: 'pause' }
    })
    assert.deepEqual(await settingsOf(ctx, scheduleSettings), { catchUp: 'all' })
    assert.equal(await settingsOf(ctx, reactivationGraceSettings), 48)
  })
})

test('the transaction that changes a setting reads the change', async () => {
  const store = await aStore(db)
  await store.inStore(async (ctx) => {
    assert.equal(await settingsOf(ctx, reactivationGraceSettings), 24)
    await updateSettings(ctx, reactivationGraceSettings, 48)
    assert.equal(await settingsOf(ctx, reactivationGraceSettings), 48)
  })
})

for (const [field, wrong] of Object.entries<DunningChange[]>({
  'dunning.retry_after_days': [{ retryAfterDays: [0] }, { retryAfterDays: [1.5] }],
  'dunning.hard_decline_wait_days': [{ hardDeclineWaitDays: 0 }, { hardDeclineWaitDays: 366 }],
  'dunning.inventory.retry_after_days': [{ inventory: { retryAfterDays: Array(11).fill(1) } }]
})) {
  test(`refuses a wrong ${field}, naming it, and changes nothing`, async () => {
    const store = await aStore(db)
    for (const change of wrong) {
      await assert.rejects(
        store.inStore((ctx) => updateSettings(ctx, dunningSettings, { onFailure: 'fail', ...change })),
        ({ code, details }) => code === 'invalid_request' && details[0].field === field
      )
    }
    assert.deepEqual(await store.inStore((ctx) => settingsOf(ctx, dunningSettings)), DUNNING)
  })
}

test('a refusal says what the setting accepts', async () => {
  const store = await aStore(db)
  await assert.rejects(
    store.inStore((ctx) => updateSettings(ctx, reactivationGraceSettings, 721)),
    { message: 'reactivation_grace_hours must be a whole number of hours from 0 to 720' }
  )
})

test('a path of a setting is that of the API', () => {
  assert.deepEqual(
    listSettings(dunningSettings).map(({ path }) => path.join('.')),
    [
      'dunning.retry_after_days',
      'dunning.on_failure',
      'dunning.hard_decline_wait_days',
      'dunning.inventory.retry_after_days',
      'dunning.inventory.on_failure'
    ]
  )
})
