// What is shown of a price with an offer is what the platform charges: with several lines, beside discounts for members and of loyalty.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aChurnShop, QUARTER_OFF } from './churn-shop.ts'
import { testDatabase } from './database.ts'
import { OFF20 } from './reward-shop.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const RENEWAL = '2026-03-01T00:00:00Z'
const off = (rules: object, isOfEachItem = false) =>
  ({ type: 'discount_price', rules: { recurring_cycle_limit: null, ...rules }, isOfEachItem }) as const

/** A customer who subscribes to coffee at 15.00. */
async function aCoffee() {
  const shop = await aChurnShop(service)
  const ada = await shop.person()
  const coffee = await shop.join(ada, 'Coffee')
  const at = { contract_id: coffee.contractId, cancellation_reason: 'too_expensive' }
  const offered = async () => {
    const { body } = await shop.ask('GET', '/churn/offers', { as: ada, query: at })
    return body.flatMap(({ offers }: any) =>
      offers.map(({ preview }: any) => [preview.price, preview.price_with_offer])
    )
  }
  const shown = async () => {
    const row = (await shop.dataRows('subscriptions')).find((one: any) => one.shopify_contract_id === coffee.contractId)
    const { contracts } = (await shop.ask('GET', '/account', { as: ada })).body
    const card = contracts.find((one: any) => one.contract_id === coffee.contractId)
    return [row.price_with_offer, card.price_with_offer]
  }
  const addLine = async (title: string, price: string, quantity: number) => {
    const product = await shop.product(title)
    const found = await shop.shop('query($id: ID!) { product(id: $id) { variants(first: 1) { nodes { id } } } }', {
      id: `gid://platform/Product/${product}`
    })
    const { draft } = await shop.shop(
      'mutation ($id: ID!) { subscriptionContractUpdate(contractId: $id) { draft { id } userErrors { message } } }',
      { id: `gid://platform/SubscriptionContract/${coffee.contractId}` }
    )
    const input = { productVariantId: found.variants.nodes[0].id, quantity, currentPrice: price }
    await shop.shop(
      'mutation ($d: ID!, $input: SubscriptionLineInput!) { subscriptionDraftLineAdd(draftId: $d, input: $input) { userErrors { message } } }',
      { d: draft.id, input }
    )
    await shop.shop('mutation ($d: ID!) { subscriptionDraftCommit(draftId: $d) { userErrors { message } } }', {
      d: draft.id
    })
    await shop.settle()
  }
  /** Accepts; what is shown at once, when the contract is read again, and in the announcement and the charge. */
  const accepted = async (offer: number) => {
    assert.equal((await shop.accept(coffee.contractId, offer, { as: ada })).status, 200)
    const atOnce = await shown()
    await shop.settle()
    return [atOnce, await shown(), await shop.charged(coffee.id, RENEWAL)]
  }
  const all = (price: string) => [
    [price, price],
    [price, price],
    [Number(price), Number(price)]
  ]
  return { ...shop, ada, coffee, offered, shown, addLine, accepted, all }
}

for (const [what, given, price] of [
  ['15 %, rounded on each line', off({ discount_type: 'percentage', discount_value: 15 }), '17.36'],
  ['0.30 off each piece', off({ discount_type: 'fixed_amount', discount_value: 0.3 }, true), '18.63'],
  ['5.00 off all lines', off({ discount_type: 'fixed_amount', discount_value: 5 }), '15.43']
] as const) {
  test(`a contract of several lines: ${what}`, async () => {
    const shop = await aCoffee()
    await shop.addLine('Cup', '3.33', 1)
    await shop.addLine('Lid', '0.33', 3)
    await shop.addLine('Bag', '1.11', 1)
    const offer = await shop.offer(given)
    assert.deepEqual(await shop.offered(), [['20.43', price]])
    assert.deepEqual(await shop.accepted(offer), shop.all(price))
  })
}

test('an amount off each piece that is more than a line costs is not offered', async () => {
  const shop = await aCoffee()
  const offer = await shop.offer(off({ discount_type: 'fixed_amount', discount_value: 10 }, true))
  assert.deepEqual(await shop.offered(), [['15.00', '5.00']])
  await shop.addLine('Lid', '0.33', 3)
  assert.deepEqual(await shop.offered(), [])
  assert.equal((await shop.accept(shop.coffee.contractId, offer, { as: shop.ada })).status, 403)
})

test('an offer comes off what is left after the discount for members', async () => {
  const shop = await aCoffee()
  const plans = await shop.plans()
  const vip = plans.find(({ name }: { name: string }) => name === 'VIP')!
  const discount = { value: '20', type: 'percentage', price_base: 'sale', stack_with_subscriptions: true }
  await service.admin('PATCH', `${shop.at}/plans/plan_${vip.id}`, { perks: { discount } })
  await shop.join(shop.ada, 'VIP')
  await shop.settle()
  const quarter = await shop.offer(QUARTER_OFF)
  assert.deepEqual(await shop.offered(), [['12.00', '9.00']])
  const most = await shop.offer(off({ discount_type: 'fixed_amount', discount_value: 14 }))
  assert.equal((await shop.accept(shop.coffee.contractId, most, { as: shop.ada })).status, 403, 'below zero')
  assert.deepEqual(await shop.accepted(quarter), shop.all('9.00'))

  await shop.advance({ to: '2026-03-02T12:00:00Z' })
  await shop.settle()
  // Nothing that receivers are notified of: a page that was kept, and who asks for changes, see it all the same.
  await service.admin('PATCH', `${shop.at}/plans/plan_${vip.id}`, { perks: { discount: { ...discount, value: '40' } } })
  await shop.settle()
  assert.deepEqual(await shop.shown(), ['6.75', '6.75'])
  const changed = await shop.dataRows('subscriptions', { since_updated: '2026-03-02' })
  assert.deepEqual(
    changed.filter((one: any) => one.price_with_offer === '6.75').map((one: any) => one.shopify_contract_id),
    [shop.coffee.contractId]
  )
})

test('an offer comes off what is left after a reward of loyalty', async () => {
  const shop = await aCoffee()
  await shop.rule(OFF20)
  await shop.review(shop.ada, 'one')
  const quarter = await shop.offer(QUARTER_OFF)
  assert.deepEqual(await shop.offered(), [['12.00', '9.00']])
  assert.deepEqual(await shop.accepted(quarter), shop.all('9.00'))
})
