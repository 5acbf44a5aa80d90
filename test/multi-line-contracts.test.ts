// Contracts with several lines, quantities, discounts and delivery: the price shown, the amount charged, and the effect of a change
// of price or plan. With the sandbox platform.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addPlanVersion } from './add-plan-version.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents, type RecordedEvent } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

type Discount = Record<string, unknown>

async function aShop() {
  const store = await aStoreWithEvents(service)
  const variantOf = async (title: string, price: string) => {
    const { product } = await store.shop(
      `mutation($product: ProductCreateInput!) { productCreate(product: $product) {
         product { id variants(first: 1) { nodes { id } } } userErrors { message } } }`,
      { product: { title, handle: title.toLowerCase(), status: 'ACTIVE' } }
    )
    const [{ id: variantId }] = product.variants.nodes
    await store.shop(
      `mutation($id: ID!, $variants: [ProductVariantsBulkInput!]!) {
         productVariantsBulkUpdate(productId: $id, variants: $variants) { userErrors { message } } }`,
      { id: product.id, variants: [{ id: variantId, price }] }
    )
    return { productId: product.id as string, variantId: variantId as string }
  }
  return {
    ...store,
    variantOf,
    /** Joins, edits the contract on the platform as its merchant would, and reads both sides. */
    async member(
      edit: { lines?: object[]; discounts?: Discount[]; freeShipping?: object; delivery?: string },
      plan = 'VIP'
    ) {
      const { contract_id, customer } = await store.member(`${Math.random()}@example.com`, plan)
      const contractGid = `gid://platform/SubscriptionContract/${contract_id}`
      const { draft } = await store.shop(
        `mutation($id: ID!) { subscriptionContractUpdate(contractId: $id) { draft { id } userErrors { message } } }`,
        { id: contractGid }
      )
      const steps: [string, string, unknown][] = [
        ...(edit.lines ?? []).map((line) => ['LineAdd', 'SubscriptionLineInput', line] as [string, string, unknown]),
        ...(edit.discounts ?? []).map(
          (one) => ['DiscountAdd', 'SubscriptionManualDiscountInput', one] as [string, string, unknown]
        ),
        ...(edit.freeShipping
          ? [
              ['FreeShippingDiscountAdd', 'SubscriptionFreeShippingDiscountInput', edit.freeShipping] as [
                string,
                string,
                unknown
              ]
            ]
          : []),
        ...(edit.delivery
          ? [['Update', 'SubscriptionDraftInput', { deliveryPrice: edit.delivery }] as [string, string, unknown]]
          : [])
      ]
      for (const [step, type, input] of steps) {
        await store.shop(
          `mutation($id: ID!, $input: ${type}!) {
             subscriptionDraft${step}(draftId: $id, input: $input) { userErrors { message } } }`,
          { id: draft.id, input }
        )
      }
      await store.shop('mutation($id: ID!) { subscriptionDraftCommit(draftId: $id) { userErrors { message } } }', {
        id: draft.id
      })
      await store.settle()
      const [shown] = (await service.get(`/subscriptions?customer_id=${customer.id}`, store.key)).body.data
      const read = async () => (await service.get(`/subscriptions/${shown.id}`, store.key)).body.data
      return {
        id: shown.id as string,
        read,
        price: async () => (await read()).price as number,
        async change(requested: object) {
          const response = await service.patch(`/subscriptions/${shown.id}`, store.key, requested)
          const pending = response.body.data?.pending_change
          await store.settle()
          return { status: response.status, pending, message: response.body.error?.message }
        },
        /** The platform's lines: product, quantity, and price before and after discounts. */
        lines: async () =>
          (
            await store.shop(
              `query($id: ID!) { subscriptionContract(id: $id) { lines(first: 10) {
                 nodes { title quantity currentPrice { amount } lineDiscountedPrice { amount } } } } }`,
              { id: contractGid }
            )
          ).lines.nodes.map((line: any) => [
            line.title,
            line.quantity,
            Number(line.currentPrice.amount),
            Number(line.lineDiscountedPrice.amount)
          ]),
        customer: customer.id as string,
        contract: contractGid as string,
        activity: async () => (await service.get(`/subscriptions/${shown.id}/activity`, store.key)).body.data as any[],
        lastActivity: async () =>
          (await service.get(`/subscriptions/${shown.id}/activity`, store.key)).body.data[0].text as string
      }
    },
    /** The amount of the next charge, as shown and as the platform charges it. */
    async charge() {
      const recorded = await store.recorded(() => store.advance({ to: '2026-03-01T00:00:00Z' }))
      const amount = (type: string) => recorded.find((one: RecordedEvent) => one.type === type)?.data.amount
      return [amount('billing.pending'), amount('billing.success')]
    }
  }
}

test("the price is the sum of all lines, and a requested price changes the plan's line", async () => {
  const store = await aShop()
  const { variantId } = await store.variantOf('Mug', '4.00')
  const member = await store.member({ lines: [{ productVariantId: variantId, quantity: 2, currentPrice: '4.00' }] })
  assert.equal(await member.price(), 37)
  const { status, pending } = await member.change({ price: 50 })
  assert.deepEqual([status, pending.price], [200, 50])
  assert.equal(await member.price(), 50)
  assert.deepEqual(await member.lines(), [
    ['VIP', 1, 42, 42],
    ['Mug', 2, 4, 8]
  ])
  assert.deepEqual(await store.charge(), [50, 50])
  await member.change({ price: 7 })
  assert.equal(await member.price(), 50)
  assert.match(await member.lastActivity(), /was not accepted: The price cannot be reached by the price of one line/)
  await store.soundBooks()
})

test('a price that cannot be reached does not drop the payment method that is requested with it', async () => {
  const store = await aShop()
  const { variantId } = await store.variantOf('Mug', '4.00')
  const member = await store.member({ lines: [{ productVariantId: variantId, quantity: 2, currentPrice: '4.00' }] })
  const ofCustomer = { storeId: store.storeId, customerId: member.customer }
  await service.sandbox.controls.revokeCard(ofCustomer)
  await service.sandbox.controls.setCard({ ...ofCustomer, outcome: 'success' })
  await store.settle()
  const connector = await service.deps.connectorOf(store.storeId)
  const cards = await connector.customers.findPaymentMethods([member.customer])
  assert.ok(cards.ok)
  const [payment_method_id] = cards.value.get(member.customer)!
  const method = () =>
    store.shop('query($id: ID!) { subscriptionContract(id: $id) { customerPaymentMethod { id } } }', {
      id: member.contract
    })
  await member.change({ price: 7, payment_method_id })
  assert.equal((await method()).customerPaymentMethod.id, payment_method_id)
  const refusal = (await member.activity()).find(({ kind }: any) => kind === 'reconciled')
  assert.match(refusal.text, /^A requested change of price was not accepted: The price cannot be reached/)
  assert.partialDeepStrictEqual(refusal.details, { price: 7, payment_method_id: null })

  // Both are refused: one entry has both.
  const unknown = 'gid://platform/CustomerPaymentMethod/none'
  await member.change({ price: 6, payment_method_id: unknown })
  const [last] = await member.activity()
  assert.match(last.text, /^A requested change of price and payment method was not accepted: /)
  assert.partialDeepStrictEqual(last.details, { price: 6, payment_method_id: unknown })
  await store.soundBooks()
})

test("a change of plan replaces the membership's line at the new plan's price; the other lines stay", async () => {
  const store = await aShop()
  const elite = await store.plan({ name: 'Elite', type: 'elite', price: '59.00' })
  const { variantId } = await store.variantOf('Mug', '4.00')
  const member = await store.member({ lines: [{ productVariantId: variantId, quantity: 2, currentPrice: '4.00' }] })
  const { pending } = await member.change({ plan_id: `plan_${elite.id}` })
  assert.deepEqual(
    [pending.plan_id, pending.price],
    [`plan_${elite.id}`, null],
    'what all of it will cost is the contract’s to say'
  )
  assert.deepEqual(await member.lines(), [
    ['Elite', 1, 59, 59],
    ['Mug', 2, 4, 8]
  ])
  const { plan_id, price } = await member.read()
  assert.deepEqual([plan_id, price], [`plan_${elite.id}`, 67])
  assert.deepEqual(await store.charge(), [67, 67])
  await store.soundBooks()
})

test('a contract of several products accepts neither a membership nor a single price; a version sets the price of each line', async () => {
  const store = await aShop()
  const [beans, mug] = [await store.variantOf('Beans', '18.00'), await store.variantOf('Mug', '18.00')]
  const coffee = await store.plan({
    name: 'Coffee',
    type: 'product',
    price: '15.00',
    product_ids: [beans.productId, mug.productId]
  })
  const sold = {
    sellingPlanId: `gid://platform/SellingPlan/${coffee.platformSellingPlanId}`,
    sellingPlanName: 'Coffee'
  }
  const more = { productVariantId: mug.variantId, quantity: 2, currentPrice: '15.00', ...sold }
  const member = await store.member({ lines: [more] }, 'Coffee')
  assert.equal(await member.price(), 45)
  const [vip] = (await store.plans()).filter(({ name }: { name: string }) => name === 'VIP')
  await member.change({ plan_id: `plan_${vip!.id}` })
  assert.match(
    await member.lastActivity(),
    /was not accepted: The contract has 2 lines of products: they cannot become a membership/
  )
  await member.change({ price: 40 })
  assert.match(
    await member.lastActivity(),
    /was not accepted: The contract has 2 lines, 2 of them of its plan: it is not clear which/
  )
  assert.equal(await member.price(), 45)
  await addPlanVersion(service, `${store.at}/plans/plan_${coffee.id}`, { price: '16.00', apply_to: 'running' })
  await store.settle()
  assert.deepEqual(
    (await member.lines()).map(([, quantity, price]: number[]) => [quantity, price]),
    [
      [1, 16],
      [2, 16]
    ]
  )
  assert.equal(await member.price(), 48)
  assert.deepEqual(await store.charge(), [48, 48])
  await store.soundBooks()
})

const ALL = { all: true }

for (const [what, discount, shown, newPrice, linePrice] of [
  ['a share', { value: { percentage: 10 }, entitledLines: ALL }, 26.1, 35, 38.89],
  ['an amount', { value: { fixedAmount: { amount: 5 } }, entitledLines: ALL }, 24, 35, 40],
  ['an amount greater than the price', { value: { fixedAmount: { amount: 30 } }, entitledLines: ALL }, 0, 5, 35]
] as const) {
  test(`the price has ${what} deducted, even from a requested price`, async () => {
    const store = await aShop()
    const member = await store.member({ discounts: [{ title: 'Thanks', ...discount }] })
    assert.equal(await member.price(), shown)
    await member.change({ price: newPrice })
    assert.deepEqual((await member.lines())[0].slice(2), [linePrice, newPrice])
    assert.equal(await member.price(), newPrice)
    assert.deepEqual(await store.charge(), [newPrice, newPrice])
    await store.soundBooks()
  })
}

test('a requested price is refused during a temporary discount, since the price would change when it ends', async () => {
  const store = await aShop()
  const member = await store.member({
    discounts: [{ title: 'Stay', value: { percentage: 50 }, recurringCycleLimit: 2, entitledLines: ALL }]
  })
  assert.equal(await member.price(), 14.5)
  await member.change({ price: 35 })
  assert.match(await member.lastActivity(), /The contract has a discount that ends: its price cannot be set until then/)
  assert.deepEqual(await store.charge(), [14.5, 14.5])
})

test('the price includes delivery, and free delivery costs nothing', async () => {
  const store = await aShop()
  const paying = await store.member({ delivery: '6.00' })
  assert.equal(await paying.price(), 35)
  const free = await store.member({ delivery: '6.00', freeShipping: { title: 'Free delivery' } })
  assert.equal(await free.price(), 29)
  await free.change({ price: 31 })
  assert.deepEqual((await free.lines())[0].slice(2), [31, 31])
  const recorded = await store.recorded(() => store.advance({ to: '2026-03-01T00:00:00Z' }))
  const amounts = (type: string) =>
    recorded.flatMap((one: RecordedEvent) => (one.type === type ? one.data.amount : [])).sort()
  assert.deepEqual(amounts('billing.pending'), [31, 35])
  assert.deepEqual(amounts('billing.success'), [31, 35])
  await store.soundBooks()
})
