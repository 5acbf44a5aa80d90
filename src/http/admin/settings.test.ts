import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aPlan } from '../../../test/plan-builder.ts'
import { aStore } from '../../../test/store-builder.ts'
import { testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const { admin } = testServer(db)

const USUAL = {
  dunning: {
    retry_after_days: [2, 5, 7, 7],
    on_failure: 'cancel',
    hard_decline_wait_days: 21,
    inventory: { retry_after_days: [1, 1, 2, 3, 7], on_failure: 'skip' }
  },
  billing: { catch_up: 'latest' },
  action_required: { remind_after_hours: [24, 72] },
  reactivation_grace_hours: 24,
  customers: { may_pause: 'off', may_skip: 'off' },
  brand: { attribute: 'brand', default: '' },
  credit_function: { title: 'Store credit' },
  credit_on_cancellation: 'keep',
  discounts: { enforced_by: 'off', function_handle: '' },
  wallet: { organization: 'Membership', background: 'black', ended: 'void' },
  disputes: { on_lost: 'alert' },
  loyalty: {
    coupons_expire_after_days: null,
    enabled: 'on',
    tiers: 'on',
    hold_days: 0,
    points_expire_after_days: null,
    receipt_file_days: 90,
    tier_review: 'rolling_year'
  },
  main_plan: { vip: null, elite: null },
  main_plan_in_effect: { vip: { plan_id: null, note: null }, elite: { plan_id: null, note: null } }
}

test('settings begin as those of the house, and a change leaves the rest as it is', async () => {
  const store = await aStore(db)
  const path = `/stores/${store.domain}/settings`
  assert.deepEqual((await admin('GET', path)).json(), USUAL)
  const dunning = { retry_after_days: [3], hard_decline_wait_days: null, inventory: { on_failure: 'pause' } }
  const changed = await admin('PATCH', path, {
    dunning,
    billing: { catch_up: 'all' },
    action_required: { remind_after_hours: [1, 168] },
    reactivation_grace_hours: 48,
    customers: { may_skip: 'on' },
    brand: { default: 'House' },
    credit_function: { title: 'Wallet' },
    credit_on_cancellation: 'forfeit',
    disputes: { on_lost: 'cancel' }
  })
  assert.equal(changed.statusCode, 200)
  const expected = {
    dunning: {
      ...USUAL.dunning,
      retry_after_days: [3],
      hard_decline_wait_days: null,
      inventory: { ...USUAL.dunning.inventory, on_failure: 'pause' }
    },
    billing: { catch_up: 'all' },
    action_required: { remind_after_hours: [1, 168] },
    reactivation_grace_hours: 48,
    customers: { may_pause: 'off', may_skip: 'on' },
    brand: { attribute: 'brand', default: 'House' },
    credit_function: { title: 'Wallet' },
    credit_on_cancellation: 'forfeit',
    discounts: { enforced_by: 'off', function_handle: '' },
    wallet: { organization: 'Membership', background: 'black', ended: 'void' },
    disputes: { on_lost: 'cancel' },
    loyalty: USUAL.loyalty,
    main_plan: USUAL.main_plan,
    main_plan_in_effect: USUAL.main_plan_in_effect
  }
  assert.deepEqual(changed.json(), expected)
  assert.deepEqual((await admin('PATCH', path, {})).json(), expected)
  assert.deepEqual((await admin('GET', path)).json(), expected)
})

test('a refusal names the field and what it takes', async () => {
  const store = await aStore(db)
  const many = Array(11).fill(1)
  for (const [body, field, accepts] of [
    [{ dunning: { retry_after_days: [0] } }, 'dunning.retry_after_days', /1 to 60/],
    [{ dunning: { retry_after_days: [1.5] } }, 'dunning.retry_after_days', /1 to 60/],
    [{ dunning: { retry_after_days: many } }, 'dunning.retry_after_days', /at most 10/],
    [{ dunning: { retry_after_days: 3 } }, 'dunning.retry_after_days', /at most 10/],
    [{ dunning: { on_failure: 'skip' } }, 'dunning.on_failure', /cancel, pause or fail/],
    [{ dunning: { on_failure: null } }, 'dunning.on_failure', /cancel, pause or fail/],
    [{ dunning: { hard_decline_wait_days: 0 } }, 'dunning.hard_decline_wait_days', /1 to 365, or null/],
    [{ dunning: { hard_decline_wait_days: 'long' } }, 'dunning.hard_decline_wait_days', /1 to 365, or null/],
    [{ dunning: { inventory: { on_failure: 'wait' } } }, 'dunning.inventory.on_failure', /skip, pause, cancel or fail/],
    [{ dunning: { inventory: { retry_after_days: [61] } } }, 'dunning.inventory.retry_after_days', /1 to 60/],
    [{ billing: { catch_up: 'none' } }, 'billing.catch_up', /latest or all/],
    [
      { action_required: { remind_after_hours: [24, 24] } },
      'action_required.remind_after_hours',
      /above the one before/
    ],
    [{ action_required: { remind_after_hours: [169] } }, 'action_required.remind_after_hours', /1 to 168/],
    [
      { action_required: { remind_after_hours: [1, 2, 3, 4, 5, 6] } },
      'action_required.remind_after_hours',
      /at most 5/
    ],
    [{ reactivation_grace_hours: 721 }, 'reactivation_grace_hours', /0 to 720/],
    [{ credit_function: { title: '' } }, 'credit_function.title', /a text of 1 to 255 characters/],
    [{ brand: { attribute: '' } }, 'brand.attribute', /a text of 1 to 255 characters/],
    [{ brand: { default: 'x'.repeat(256) } }, 'brand.default', /a text of 0 to 255 characters/],
    [{ brand: { default: 3 } }, 'brand.default', /a text of 0 to 255 characters/],
    [{ main_plan: { vip: 3 } }, 'main_plan.vip', /an id such as plan_3, or null for the default/],
    [{ main_plan: { elite: 'sub_3' } }, 'main_plan.elite', /an id such as plan_4, or null for the default/],
    [{ main_plan: { vip: 'plan_999999' } }, 'main_plan.vip', /plan_999999 does not exist/],
    [{ main_plan: { product: null } }, 'main_plan.product', /./],
    [{ main_plan_in_effect: {} }, 'main_plan_in_effect', /./],
    [{ dunning: { retries: 3 } }, 'dunning.retries', /./],
    [{ grace: 3 }, 'grace', /./]
  ] as const) {
    const refused = await admin('PATCH', `/stores/${store.domain}/settings`, body)
    const { message } = refused.json().error
    assert.equal(refused.statusCode, 400, JSON.stringify(body))
    assert.ok(message.includes(field), `${message} names ${field}`)
    assert.match(message, accepts)
  }
  assert.deepEqual((await admin('GET', `/stores/${store.domain}/settings`)).json(), USUAL)
})

/** A store with two monthly VIP plans and an Elite plan, oldest first, and a way to change them. */
async function aStoreWithPlans() {
  const store = await aStore(db)
  for (const name of ['Silver', 'Gold', 'Elite']) await aPlan(store, { name })
  const path = `/stores/${store.domain}/settings`
  const ids = Object.fromEntries(
    (await admin('GET', `/stores/${store.domain}/plans`)).json().data.map(({ name, id }: any) => [name, id])
  ) as Record<'Silver' | 'Gold' | 'Elite', string>
  const change = (name: keyof typeof ids, column: 'status' | 'type' | 'interval', value: string) =>
    store.inStore((ctx) =>
      ctx.tx.run(sql`
        update plans set status = case when ${column}::text = 'status' then ${value} else status end,
                         type = case when ${column}::text = 'type' then ${value} else type end,
                         interval = case when ${column}::text = 'interval' then ${value} else interval end
         where store_id = ${ctx.storeId} and name = ${name}`)
    )
  await change('Elite', 'type', 'elite')
  return {
    store,
    ids,
    change,
    set: (main: object) => admin('PATCH', path, { main_plan: main }),
    /** What is set for VIP, and what that comes to. */
    vip: async () => {
      const { main_plan, main_plan_in_effect } = (await admin('GET', path)).json()
      return [main_plan.vip, main_plan_in_effect.vip.plan_id, main_plan_in_effect.vip.note]
    }
  }
}

test('the main plan of a type is the oldest enabled one, or the one that is chosen', async () => {
  const { ids, set, vip } = await aStoreWithPlans()
  assert.deepEqual(await vip(), [null, ids.Silver, null])
  const chosen = await set({ vip: ids.Gold })
  assert.equal(chosen.statusCode, 200)
  const { main_plan, main_plan_in_effect } = chosen.json()
  assert.deepEqual(main_plan, { vip: ids.Gold, elite: null })
  assert.deepEqual(main_plan_in_effect, {
    vip: { plan_id: ids.Gold, note: null },
    elite: { plan_id: ids.Elite, note: null }
  })
  assert.equal((await set({ elite: ids.Elite })).statusCode, 200)
  assert.deepEqual(await vip(), [ids.Gold, ids.Gold, null], 'the other one stays')
  assert.equal((await set({ vip: null })).statusCode, 200)
  assert.deepEqual(await vip(), [null, ids.Silver, null])
})

test('a plan that is disabled, of another type or bills otherwise is refused as the main one with the reason', async () => {
  const { ids, change, set, vip } = await aStoreWithPlans()
  const refused = async (main: object, message: string) => {
    const { statusCode, ...response } = await set(main)
    const { error } = response.json()
    assert.deepEqual([statusCode, error.details[0].field, error.details[0].message], [400, `main_plan.vip`, message])
  }
  const must =
    'must be an enabled VIP plan of this store that bills every 1 to 28 weeks or months (7 days are a week, a year is 12 months)'
  await refused({ vip: ids.Elite }, `${must}: ${ids.Elite} is of type elite`)
  await change('Gold', 'interval', 'day')
  await refused({ vip: ids.Gold }, `${must}: ${ids.Gold} bills every day`)
  await change('Gold', 'interval', 'year')
  await change('Gold', 'status', 'disabled')
  await refused({ vip: ids.Gold, elite: ids.Elite }, `${must}: ${ids.Gold} is disabled`)
  const other = await aStoreWithPlans()
  await refused({ vip: other.ids.Gold }, `${must}: ${other.ids.Gold} does not exist`)
  assert.deepEqual(await vip(), [null, ids.Silver, null])
  await change('Gold', 'status', 'enabled')
  assert.equal((await set({ vip: ids.Gold })).statusCode, 200, 'a year is 12 months')
})

test('while the chosen plan is disabled the oldest enabled one counts, and the setting says so', async () => {
  const { ids, change, set, vip } = await aStoreWithPlans()
  await set({ vip: ids.Gold })
  await change('Gold', 'status', 'disabled')
  const note = `${ids.Gold} is disabled, so the oldest enabled plan that can be the main one counts`
  assert.deepEqual(await vip(), [ids.Gold, ids.Silver, note])
  await change('Silver', 'status', 'disabled')
  assert.deepEqual(await vip(), [ids.Gold, null, `${ids.Gold} is disabled, so there is no main plan`])
  await change('Gold', 'status', 'enabled')
  assert.deepEqual(await vip(), [ids.Gold, ids.Gold, null])
})
