// Friends whom customers bring: from the link to the rewards of both, and back, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from './database.ts'
import { aReferralShop } from './referral-shop.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox

const aShop = (settings?: Record<string, unknown>) => aReferralShop(service, settings)
const POINTS = { reward_type: 'points', amount: 500 }
const HALF = { reward_type: 'discount', discount_type: 'percentage', discount_amount: 50 }

test('a friend orders by the link of a customer, who is rewarded while the order counts', async () => {
  const { store, rule, customer, idOf, linkOf, orderBy, points, refund, onPlatform, referrals } = await aShop()
  await rule('referral', { referred_reward: HALF }, POINTS)
  const [ada, ben] = [await customer('ada@example.com'), await customer('ben@example.com')]
  const link = (await linkOf(ada))!
  const code = link.split('/').at(-1)!
  assert.equal(link, `https://${store.domain}/discount/${code}`)
  assert.match(code, /^[2-9A-HJ-NP-Z]{10}$/)
  assert.equal(await linkOf(ada), link)
  const [base, own] = await onPlatform()
  assert.equal(own!.code, code)
  assert.notEqual(base!.code, code)
  assert.deepEqual(
    [own!.kind, own!.body.appliesOncePerCustomer, own!.body.usageLimit ?? null, own!.body.customerGets.value],
    ['DiscountCodeBasic', true, null, { percentage: 0.5 }]
  )
  const order = await orderBy(ben, code.toLowerCase(), '50.00')
  assert.deepEqual(
    [await points(ada), await points(ben)],
    [
      [500, 0, 500],
      [0, 0, 0]
    ]
  )
  const [referral] = await referrals()
  assert.deepEqual(
    [referral.status, referral.reason, referral.code, referral.referrer_id, referral.friend_id],
    ['counted', null, code, await idOf(ada), await idOf(ben)]
  )
  await refund(order, '10.00')
  assert.deepEqual(await points(ada), [500, 0, 500])
  await refund(order)
  assert.deepEqual(await points(ada), [0, 0, 0])
  assert.equal((await referrals())[0].status, 'not_counted')
  await store.soundBooks()
})
