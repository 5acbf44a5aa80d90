// What others read of accepted offers: tags and metafields of the customer, the Data API, and the account of the customer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql, text } from '#kit/postgres'
import { aChurnShop, EVERY_TWO_MONTHS, QUARTER_OFF, TEN_CREDIT } from './churn-shop.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service

async function aMember() {
  const shop = await aChurnShop(service)
  const ada = await shop.person()
  const vip = await shop.join(ada, 'VIP')
  const onPlatform = async () => {
    const customer = await shop.shop(
      'query ($id: ID!) { customer(id: $id) { tags metafield(namespace: "svc", key: "customer_subscription1") { value } } }',
      { id: `gid://platform/Customer/${ada}` }
    )
    const { price, offers } = JSON.parse(customer.metafield.value)
    return { tags: customer.tags.filter((tag: string) => tag.includes('Churn')).sort(), price, offers }
  }
  const dataRow = async (query: Record<string, string> = {}) => {
    const data = (await shop.dataRows('subscriptions', query)).find(
      (one: any) => one.shopify_contract_id === vip.contractId
    )
    const { price, churn_offer_status, offer_type, price_with_offer, offer_accepted_date, offer_cancel_date } = data
    return { price, churn_offer_status, offer_type, price_with_offer, offer_accepted_date, offer_cancel_date }
  }
  return { ...shop, ada, vip, onPlatform, dataRow }
}

test('tags and metafield follow an offer; the price there is the agreed one, and the offer is subtracted once', async () => {
  const shop = await aMember()
  assert.deepEqual(await shop.onPlatform(), { tags: [], price: '29.00', offers: [] })
  const empty = {
    churn_offer_status: '',
    offer_type: '',
    price_with_offer: '',
    offer_accepted_date: '',
    offer_cancel_date: ''
  }
  assert.deepEqual(await shop.dataRow(), { price: '29.00', ...empty })
  const offer = await shop.offer(QUARTER_OFF)
  await shop.accept(shop.vip.contractId, offer, { as: shop.ada })
  await shop.settle()
  assert.deepEqual(await shop.onPlatform(), {
    tags: ['SVC: Churn_Offer', 'SVC: Churn_Offer: Active'],
    price: '29.00',
    offers: [
      {
        ...{ offer_id: String(offer), type: 'discount_price', discount_value: 25, discount_type: 'percentage' },
        recurring_cycle_limit: 2
      }
    ]
  })
  const { offer_accepted_date, ...accepted } = await shop.dataRow()
  assert.match(offer_accepted_date, /^2026-\d\d-\d\d \d\d:\d\d$/)
  assert.deepEqual(accepted, {
    ...{ price: '29.00', churn_offer_status: 'Active', offer_type: 'discount_price', price_with_offer: '21.75' },
    offer_cancel_date: ''
  })
  await shop.charged(shop.vip.id, '2026-03-01T00:00:00Z')
  await shop.charged(shop.vip.id, '2026-04-01T00:00:00Z')
  assert.deepEqual(await shop.onPlatform(), { tags: ['SVC: Churn_Offer'], price: '29.00', offers: [] })
  const { offer_cancel_date, ...over } = await shop.dataRow()
  assert.match(offer_cancel_date, /^2026-/)
  assert.deepEqual(over, {
    ...{ price: '29.00', churn_offer_status: 'Cancelled', offer_type: 'discount_price', price_with_offer: '' },
    offer_accepted_date
  })
})

test('the metafield has the form of each type of offer', async () => {
  const shop = await aMember()
  const credit = await shop.offer(TEN_CREDIT)
  await shop.accept(shop.vip.contractId, credit, { as: shop.ada })
  await shop.settle()
  const [given] = (await shop.onPlatform()).offers
  assert.deepEqual(given, { offer_id: String(credit), type: 'add_store_credits', credit_amount: 10 })
  assert.equal((await shop.dataRow()).price_with_offer, '29.00')
  await shop.charged(shop.vip.id, '2026-03-01T00:00:00Z')
  const frequency = await shop.offer(EVERY_TWO_MONTHS)
  await shop.accept(shop.vip.contractId, frequency, { as: shop.ada })
  await shop.settle()
  const [other] = (await shop.onPlatform()).offers
  assert.deepEqual(other, {
    offer_id: String(frequency),
    type: 'change_frequency',
    interval: 'month',
    interval_count: 2
  })
})

test('a customer pauses, resumes and skips where the store allows it, and only their own contract', async () => {
  const shop = await aMember()
  const { vip, ada } = shop
  const bob = await shop.person('bob@example.com')
  const at = `/contracts/${vip.contractId}`
  const post = (path: string, as = ada, body = {}) => shop.ask('POST', `${at}/${path}`, { as, body })
  const actions = async () => (await shop.ask('GET', '/account', { as: ada })).body.contracts[0].actions
  assert.deepEqual(await actions(), { cancel: true, reactivate: false, pause: false, resume: false, skip: false })
  for (const action of ['pause', 'skip', 'resume', 'reactivation']) assert.equal((await post(action)).status, 403)
  await service.admin('PATCH', `${shop.at}/settings`, { customers: { may_pause: 'on', may_skip: 'on' } })
  assert.deepEqual(await actions(), { cancel: true, reactivate: false, pause: true, resume: false, skip: true })
  assert.equal((await post('pause', bob)).status, 403)
  const skipped = await post('skip')
  assert.deepEqual([skipped.status, skipped.body.next_billing_date], [200, '2026-03-31'])
  const wrong = await post('pause', ada, { duration: 0 })
  assert.deepEqual([wrong.status, wrong.body.errors], [422, { duration: ['must be an integer from 1 to 365'] }])
  const paused = await post('pause', ada, { duration: 10 })
  assert.deepEqual([paused.status, paused.body.status, paused.body.actions.resume], [200, 'PAUSED', true])
  assert.equal((await post('resume')).body.status, 'ACTIVE')
  await shop.settle()
  await shop.move(vip.id, 'pause')
  // Somebody else has paused it.
  assert.equal((await actions()).resume, false)
  assert.equal((await post('resume')).status, 403)
})

test('shown is counted by day, reason and offer; nothing of a customer is kept, in no log and no table', async () => {
  const shop = await aMember()
  const [first, second] = [
    await shop.offer(QUARTER_OFF),
    await shop.offer({ ...TEN_CREDIT, reasons: ['too_expensive', 'other'] })
  ]
  const { ada, vip } = shop
  const query = { cancellation_reason: 'too_expensive', contract_id: vip.contractId }
  await shop.ask('GET', '/churn/offers', { as: ada, query })
  await shop.ask('GET', '/churn/offers', { as: ada, query })
  await shop.ask('GET', '/churn/offers', { key: shop.key })
  await shop.ask('GET', '/churn/reasons', { as: ada })
  const counts = () =>
    db.inStore(shop.storeId, ({ tx }) =>
      tx.many(
        row({ alias: text, offerId: int, times: int }),
        sql`select alias, offer_id, times from churn_shown where store_id = ${shop.storeId} and offer_id > 0 order by alias, offer_id`
      )
    )
  const expected = [
    { alias: 'other', offerId: second, times: 1 },
    { alias: 'too_expensive', offerId: first, times: 3 },
    { alias: 'too_expensive', offerId: second, times: 3 }
  ]
  for (let i = 0; i < 100 && (await counts()).length < 3; i++) await new Promise((resolve) => setTimeout(resolve, 50))
  assert.deepEqual(await counts(), expected)
})
