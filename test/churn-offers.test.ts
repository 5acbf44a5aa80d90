// Offers to people who cancel: accepted over the Churn API, applied on the platform, used up, and taken back, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aChurnShop, EVERY_TWO_MONTHS, QUARTER_OFF, TEN_CREDIT } from './churn-shop.ts'
import { testDatabase } from './database.ts'
import type { RecordedEvent } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const aShop = () => aChurnShop(service)

test('a discount is on the contract before the answer, on two renewals, and then over; the agreed price stays', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const vip = await shop.join(ada, 'VIP')
  const offer = await shop.offer(QUARTER_OFF)
  const recorded = await shop.recorded(async () => {
    const { status, body } = await shop.accept(
      vip.contractId,
      offer,
      { as: ada },
      { cancellation_reason: 'too_expensive' }
    )
    assert.equal(status, 200)
    const { reward, ...rest } = body
    assert.deepEqual(rest, {
      offer: {
        ...{ id: offer, name: 'Stay', description: null, type: 'discount_price' },
        rules: { discount_type: 'percentage', discount_value: 25, recurring_cycle_limit: 2 }
      },
      status: 'Active',
      deleted_at: null
    })
    assert.match(reward.gid, /^gid:\/\/platform\/SubscriptionManualDiscount\//)
    assert.match(reward.title, /^SVC: Stay \(ref\. \w{12}\)$/)
    assert.deepEqual(
      { ...reward, gid: '', title: '' },
      {
        ...{ gid: '', title: '', target_type: 'LINE_ITEM', recurring_cycle_limit: 2, usage_count: 0 },
        ...{ applies_on_each_item: false, discount_type: 'percentage', value: 25, deleted_at: null }
      }
    )
    assert.deepEqual(await shop.onContract(vip.contractId), ['SVC: Stay (ref. …) 0/2'])
    await shop.settle()
  })
  const updated = recorded.filter(({ type }: RecordedEvent) => type === 'subscription.updated')
  assert.deepEqual(
    updated.map(({ data }: RecordedEvent) => [
      Object.keys(data.changes),
      data.changes.offer.to.status,
      data.plan.price
    ]),
    [[['offer'], 'Active', 29]]
  )
  const shown = await shop.show(vip.id)
  assert.deepEqual([shown.price, shown.granted_discount, shown.offer.offer.id], [29, 7.25, offer])
  assert.deepEqual(await shop.charged(vip.id, '2026-03-01T00:00:00Z'), [21.75, 21.75])
  assert.equal((await shop.offersOf(vip.contractId, shop.key))[0].reward.usage_count, 1)
  assert.deepEqual(await shop.charged(vip.id, '2026-04-01T00:00:00Z'), [21.75, 21.75])
  const [over] = await shop.offersOf(vip.contractId, shop.key)
  assert.deepEqual([over.status, over.reward.usage_count, typeof over.deleted_at], ['Cancelled', 2, 'string'])
  assert.deepEqual(await shop.onContract(vip.contractId), [])
  assert.deepEqual(await shop.charged(vip.id, '2026-05-01T00:00:00Z'), [29, 29])
  assert.equal((await shop.accept(vip.contractId, offer, { as: ada })).status, 403)
  await shop.soundRules()
})

test('another frequency holds from the next cycle on, and the offer is over with the next charge', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const vip = await shop.join(ada, 'VIP')
  const offer = await shop.offer(EVERY_TWO_MONTHS)
  const before = await shop.show(vip.id)
  const { status, body } = await shop.accept(vip.contractId, offer, { as: ada })
  assert.deepEqual(
    [status, body.reward],
    [200, { interval_count: 2, interval_name: 'MONTH', next_billing_date: before.next_billing_date }]
  )
  await shop.settle()
  const after = await shop.show(vip.id)
  assert.deepEqual(
    [after.interval_count, after.next_billing_date, after.offer.status],
    [2, before.next_billing_date, 'Active']
  )
  assert.deepEqual(await shop.charged(vip.id, '2026-03-01T00:00:00Z'), [29, 29])
  const charged = await shop.show(vip.id)
  assert.deepEqual([charged.offer, charged.interval_count], [null, 2])
  assert.deepEqual(await shop.charged(vip.id, '2026-04-01T00:00:00Z'), [undefined, undefined])
  await shop.soundRules()
})

test('store credit is added at once, stays when the offer is revoked, and blocks no later offer after the next charge', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  const vip = await shop.join(ada, 'VIP')
  const offer = await shop.offer(TEN_CREDIT)
  const { status, body } = await shop.accept(vip.contractId, offer, { as: ada })
  assert.equal(status, 200)
  assert.deepEqual({ ...body.reward, transaction_id: '' }, { credit_amount: 10, currency: 'USD', transaction_id: '' })
  assert.match(body.reward.transaction_id, /^sct_\d+$/)
  await shop.settle()
  const account = (await shop.ask('GET', '/account', { as: ada })).body
  assert.deepEqual([account.store_credit, account.contracts[0].offer.status], ['10.00', 'Active'])
  await shop.charged(vip.id, '2026-03-01T00:00:00Z')
  assert.equal((await shop.show(vip.id)).offer, null)
  await shop.soundRules()
})

test('a program that sends an empty form accepts; what it sends as a form is refused', async () => {
  const shop = await aShop()
  const vip = await shop.join(await shop.person(), 'VIP')
  const path = `/churn/${vip.contractId}/offers/${await shop.offer(QUARTER_OFF)}/activation`
  const [{ status, body }, { status: accepted }] = [
    await shop.ask('POST', path, { key: shop.key, form: 'a=1' }),
    await shop.ask('POST', path, { key: shop.key, form: '' })
  ]
  assert.deepEqual([status, accepted], [422, 200], JSON.stringify(body))
})

test('who has been a member for long enough is offered it on a new contract too', async () => {
  const shop = await aShop()
  const ada = await shop.person()
  await shop.join(ada, 'VIP')
  await shop.offer({ ...QUARTER_OFF, minMemberDays: 30 })
  await shop.advance({ by: 'P31D' })
  const offered = async (as: string) => {
    const { contractId } = await shop.join(as, 'Coffee')
    const query = { contract_id: contractId, cancellation_reason: 'too_expensive' }
    return (await shop.ask('GET', '/churn/offers', { as, query })).body.flatMap(({ offers }: any) => offers).length
  }
  assert.deepEqual([await offered(ada), await offered(await shop.person('bob@example.com'))], [1, 0])
})
