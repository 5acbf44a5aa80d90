// Rules for what customers are and agree to, once each: what is taken back in the shop stays earned here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../database.ts'
import { startService } from '../service-builder.ts'
import { aStory } from './story.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox

const points = (amount: number) => ({ reward_type: 'points', amount })

test('email_subscription: an amount off for the consent, which stays when the consent is withdrawn and expires by the clock', async () => {
  const { store, storeId, rule, customer, happens, has, progress, coupons, useCode, usesInShop } = await aStory(
    service,
    { coupons_expire_after_days: 30 }
  )
  const reward = { reward_type: 'discount', discount_type: 'fixed_amount', discount_amount: 5, code_prefix: 'NEWS-' }
  const id = await rule('email_subscription', {}, reward)
  const [ada, bob] = [await customer('ada@example.com'), await customer('bob@example.com')]
  const consent = (customerId: string, state: 'subscribed' | 'unsubscribed') =>
    happens(controls.setConsent({ storeId, customerId, channel: 'email', state }))
  assert.deepEqual(await progress(id, 'email_subscription', ada), [0, 1, 0])
  for (const one of [ada, bob]) await consent(one, 'subscribed')
  const coupon = { type: 'amount_off_orders', amount: '5.00' }
  assert.deepEqual(await progress(id, 'email_subscription', ada), [1, 1, 100])
  assert.deepEqual(await coupons(ada), [{ ...coupon, status: 1, uses: 0 }])
  await consent(ada, 'unsubscribed')
  await consent(ada, 'subscribed')
  assert.deepEqual([await has(ada), await coupons(ada)], [[0, 0, 0, 1, 1], [{ ...coupon, status: 1, uses: 0 }]])
  await useCode(ada)
  assert.deepEqual([await usesInShop(ada), await coupons(ada)], [1, [{ ...coupon, status: 0, uses: 1 }]])
  await store.advance({ by: 'P29D' })
  assert.deepEqual(await coupons(bob), [{ ...coupon, status: 1, uses: 0 }])
  await store.advance({ by: 'P1D' })
  assert.deepEqual([await has(bob), await coupons(bob)], [[0, 0, 0, 1, 0], [{ ...coupon, status: 0, uses: 0 }]])
  await store.soundBooks()
})

test('sms_subscription, customer_tag and create_account: points once each, which stay', async () => {
  const { store, storeId, rule, customer, happens, has, progress } = await aStory(service)
  const [sms, tag, account] = [
    await rule('sms_subscription', {}, points(20)),
    await rule('customer_tag', { tag: 'Ambassador' }, points(40)),
    await rule('create_account', {}, points(80))
  ]
  const customerId = await customer('ada@example.com')
  const shown = async () => [
    await progress(sms, 'sms_subscription', customerId),
    await progress(tag, 'customer_tag', customerId),
    await progress(account, 'create_account', customerId)
  ]
  const [none, done] = [
    [0, 1, 0],
    [1, 1, 100]
  ]
  assert.deepEqual(
    [await shown(), await has(customerId)],
    [
      [none, none, none],
      [0, 0, 0, 0, 0]
    ]
  )
  const consent = (state: 'subscribed' | 'unsubscribed') =>
    controls.setConsent({ storeId, customerId, channel: 'sms', state, phone: '+14155550123' })
  const expected = (rules: unknown[], earned: number, completed: number) => [rules, [earned, 0, earned, completed, 0]]
  await happens(consent('subscribed'))
  assert.deepEqual([await shown(), await has(customerId)], expected([done, none, none], 20, 1))
  await happens(controls.setTags({ storeId, customerId, add: ['ambassador'], remove: [] }))
  assert.deepEqual([await shown(), await has(customerId)], expected([done, done, none], 60, 2))
  await happens(controls.setAccount({ storeId, customerId, state: 'enabled' }))
  assert.deepEqual([await shown(), await has(customerId)], expected([done, done, done], 140, 3))
  await happens(consent('unsubscribed'))
  await happens(controls.setTags({ storeId, customerId, add: [], remove: ['ambassador'] }))
  await happens(controls.setAccount({ storeId, customerId, state: 'disabled' }))
  assert.deepEqual([await shown(), await has(customerId)], expected([done, done, done], 140, 3))
  await store.soundBooks()
})
