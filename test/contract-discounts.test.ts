// The perk stack_with_subscriptions: what members have off the renewals of their product subscriptions. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditStore, auditWarnings } from '#audit'
import { sql } from '#kit/postgres'
import { retryMirror } from '#mirror'
import type { Connector, MemberDiscount, PlatformFailure } from '#platform'
import { createContractDiscountEngine } from '../src/mirror/contract-discounts/contract-discount-engine.ts'
import { adminOf } from './admin-calls.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents, type RecordedEvent } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { call } = adminOf(service)

const stacked = (value: number, more: object = {}) => ({
  discount: { value, type: 'percentage', price_base: 'sale', stack_with_subscriptions: true, ...more }
})
const LOST: PlatformFailure = { kind: 'unavailable', message: 'The answer was lost', outcomeUnknown: true }
const RULES = /^contract_discounts_/

/** A store whose VIP plan has these perks, and a monthly product subscription to beans at 15.00. */
async function aShop(perks: object = stacked(20)) {
  const store = await aStoreWithEvents(service)
  const { storeId, settle, shop } = store
  const connector: Connector = await service.deps.connectorOf(storeId)
  const product = async (title: string, tags: string[] = []) => {
    const created = await shop(
      `mutation($product: ProductCreateInput!) { productCreate(product: $product) {
         product { id variants(first: 1) { nodes { id } } } userErrors { message } } }`,
      { product: { title, handle: title.toLowerCase(), status: 'ACTIVE', tags } }
    )
    const { id, variants } = created.product
    return { id: id.split('/').at(-1) as string, gid: id as string, variant: variants.nodes[0].id as string }
  }
  const beans = await product('Beans')
  await store.plan({ name: 'Coffee', type: 'product', price: '15.00', product_ids: [beans.id] })
  const [vip] = (await store.plans()).filter(({ name }: { name: string }) => name === 'VIP')
  const setPerks = async (perks: object, plan = vip!.id) => {
    const done = await call(store, 'PATCH', `/plans/plan_${plan}`, { perks })
    assert.equal(done.status, 200, JSON.stringify(done.body))
    await settle()
  }
  await setPerks(perks)
  const join = async (customer: string, plan: string) => {
    const { contract_id } = await service.admin('POST', `${store.at}/sandbox/joins`, { customer, plan })
    await settle()
    const { body } = await service.get(`/subscriptions?customer_id=${customer}`, store.key)
    const ids: { id: string }[] = body.data
    const shown = await Promise.all(ids.map(({ id }) => call(store, 'GET', `/subscriptions/${id}`)))
    const { id } = shown.map((one) => one.body).find((one) => one.contract_id === contract_id)
    return { id: id as string, contractId: contract_id as string }
  }
  const person = async (email: string) => (await store.customer(email)).id as string
  return {
    ...store,
    connector,
    product,
    beans,
    vip: vip!.id,
    setPerks,
    join,
    person,
    move: async (id: string, move: string) => {
      assert.equal((await call(store, 'POST', `/subscriptions/${id}/${move}`, {})).status, 200)
      await settle()
    },
    /** What is on a contract, as its merchant sees it: title, percents, number of lines. */
    async discounts(contractId: string): Promise<[string, number, number][]> {
      const { discounts } = await shop(
        `query($id: ID!) { subscriptionContract(id: $id) { discounts(first: 10) { nodes { title
           value { ... on SubscriptionDiscountPercentageValue { percentage } } entitledLines { lines(first: 9) { nodes { id } } } } } } }`,
        { id: `gid://platform/SubscriptionContract/${contractId}` }
      )
      return discounts.nodes.map((one: any) => [one.title, one.value.percentage, one.entitledLines.lines.nodes.length])
    },
    async addDiscount(contractId: string, input: object) {
      const { draft } = await shop(
        `mutation($id: ID!) { subscriptionContractUpdate(contractId: $id) { draft { id } userErrors { message } } }`,
        { id: `gid://platform/SubscriptionContract/${contractId}` }
      )
      await shop(
        `mutation($id: ID!, $input: SubscriptionManualDiscountInput!) {
           subscriptionDraftDiscountAdd(draftId: $id, input: $input) { userErrors { message } } }`,
        { id: draft.id, input: { entitledLines: { all: true }, ...input } }
      )
      await shop('mutation($id: ID!) { subscriptionDraftCommit(draftId: $id) { userErrors { message } } }', {
        id: draft.id
      })
      await settle()
    },
    async addLine(contractId: string, input: object) {
      const { draft } = await shop(
        `mutation($id: ID!) { subscriptionContractUpdate(contractId: $id) { draft { id } userErrors { message } } }`,
        { id: `gid://platform/SubscriptionContract/${contractId}` }
      )
      await shop(
        `mutation($id: ID!, $input: SubscriptionLineInput!) {
           subscriptionDraftLineAdd(draftId: $id, input: $input) { userErrors { message } } }`,
        { id: draft.id, input }
      )
      await shop('mutation($id: ID!) { subscriptionDraftCommit(draftId: $id) { userErrors { message } } }', {
        id: draft.id
      })
      await settle()
    },
    show: async (id: string) => (await call(store, 'GET', `/subscriptions/${id}`)).body,
    /** What the next renewal of a subscription was announced at, and what the platform charged for it. */
    async charged(id: string, to: string): Promise<[number, number]> {
      const recorded: RecordedEvent[] = await store.recorded(() => store.advance({ to }))
      const amounts = (type: string) =>
        recorded.filter((one) => one.type === type && one.data.subscription_id === id).map(({ data }) => data.amount)
      return [amounts('billing.pending').at(-1), amounts('billing.success').at(-1)]
    },
    async rules() {
      const { findings, warnings } = await auditStore(db, storeId)
      const ofOurs = (found: typeof findings) => found.filter(({ check }) => RULES.test(check))
      return { findings: ofOurs(findings), warnings: ofOurs(warnings) }
    },
    /** The engine alone, with some calls of contracts replaced. */
    withApi: (calls: Partial<Connector['contracts']>) =>
      createContractDiscountEngine({
        db,
        leaseOwner: 1,
        connectorOf: async () => withCalls(connector, { contracts: calls })
      }),
    due: () =>
      db.inStore(storeId, (ctx) =>
        ctx.tx.run(sql`update contract_discounts set due_at = ${ctx.now} where store_id = ${ctx.storeId}`)
      )
  }
}

const VIP20: [string, number, number][] = [['SVC: VIP: member price', 20, 1]]

test('a member pays less for renewals of a product subscription, and the full price again when the membership has ended', async () => {
  const shop = await aShop()
  const ada = await shop.person('ada@example.com')
  const coffee = await shop.join(ada, 'Coffee')
  assert.deepEqual(await shop.discounts(coffee.contractId), [])
  const joining = await shop.recorded(() => shop.join(ada, 'VIP'))
  assert.deepEqual(await shop.discounts(coffee.contractId), VIP20)
  // Nobody has agreed another price.
  assert.deepEqual(
    joining.filter(({ type }: RecordedEvent) => type === 'subscription.updated'),
    []
  )
  const shown = await shop.show(coffee.id)
  assert.deepEqual([shown.price, shown.member_discount], [15, 3])
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [12, 12])
  assert.deepEqual(await shop.rules(), { findings: [], warnings: [] })

  const { body } = await service.get(`/subscriptions?customer_id=${ada}`, shop.key)
  const membership = body.data.find((one: any) => one.id !== coffee.id)
  await shop.move(membership.id, 'cancel')
  assert.deepEqual(await shop.discounts(coffee.contractId), [])
  assert.equal((await shop.show(coffee.id)).member_discount, 0)
  assert.deepEqual(await shop.charged(coffee.id, '2026-04-01T00:00:00Z'), [15, 15])
  assert.deepEqual(await shop.rules(), { findings: [], warnings: [] })
  await shop.soundBooks()
})

test('it is not given while the membership is paused, nor where the perk is off, and follows the percents of the plan', async () => {
  const shop = await aShop()
  const ada = await shop.person('ada@example.com')
  const vip = await shop.join(ada, 'VIP')
  const coffee = await shop.join(ada, 'Coffee')
  assert.deepEqual(await shop.discounts(coffee.contractId), VIP20)
  await shop.move(vip.id, 'pause')
  assert.deepEqual(await shop.discounts(coffee.contractId), [])
  await shop.move(vip.id, 'resume')
  assert.deepEqual(await shop.discounts(coffee.contractId), VIP20)
  await shop.setPerks(stacked(35))
  assert.deepEqual(await shop.discounts(coffee.contractId), [['SVC: VIP: member price', 35, 1]])
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [9.75, 9.75])
  await shop.setPerks({ discount: { ...stacked(35).discount, stack_with_subscriptions: false } })
  assert.deepEqual(await shop.discounts(coffee.contractId), [])
  assert.deepEqual(await shop.charged(coffee.id, '2026-04-01T00:00:00Z'), [15, 15])
  assert.deepEqual(await shop.rules(), { findings: [], warnings: [] })
})

test('a paused product subscription has it too, and one that goes to Elite gets the discount of Elite', async () => {
  const shop = await aShop()
  const elite = await shop.plan({ name: 'Gold', type: 'elite', price: '59.00', perks: stacked(50) })
  await shop.setPerks(stacked(50), elite.id)
  const ada = await shop.person('ada@example.com')
  const coffee = await shop.join(ada, 'Coffee')
  await shop.move(coffee.id, 'pause')
  const vip = await shop.join(ada, 'VIP')
  assert.deepEqual(await shop.discounts(coffee.contractId), VIP20)
  const done = await service.patch(`/subscriptions/${vip.id}`, shop.key, { plan_id: `plan_${elite.id}` })
  assert.equal(done.status, 200)
  await shop.settle()
  const gold = [['SVC: Gold: member price', 50, 1]]
  assert.deepEqual(await shop.discounts(coffee.contractId), gold)
  await shop.join(ada, 'VIP')
  assert.deepEqual(await shop.discounts(coffee.contractId), gold, 'who holds both has that of Elite')
  assert.deepEqual((await shop.rules()).findings, [])
  // Without a main plan of Elite, VIP counts.
  assert.equal((await call(shop, 'PATCH', `/plans/plan_${elite.id}`, { status: 'disabled' })).status, 200)
  await shop.settle()
  assert.deepEqual(await shop.discounts(coffee.contractId), VIP20)
})

test('of a gift the receiver has it, and the giver does not', async () => {
  const shop = await aShop()
  const [ada, bo] = [await shop.person('ada@example.com'), await shop.person('bo@example.com')]
  const vip = await shop.join(ada, 'VIP')
  const [adas, bos] = [await shop.join(ada, 'Coffee'), await shop.join(bo, 'Coffee')]
  const both = async () => [await shop.discounts(adas.contractId), await shop.discounts(bos.contractId)]
  assert.deepEqual(await both(), [VIP20, []])
  assert.equal((await call(shop, 'POST', `/subscriptions/${vip.id}/gift`, { receiver: 'bo@example.com' })).status, 200)
  await shop.settle()
  assert.deepEqual(await both(), [[], VIP20])
  assert.deepEqual(await shop.charged(bos.id, '2026-03-01T00:00:00Z'), [12, 12])
  assert.equal((await call(shop, 'DELETE', `/subscriptions/${vip.id}/gift`)).status, 200)
  await shop.settle()
  assert.deepEqual(await both(), [VIP20, []])
})

test('discounts of others stay, and are combined; a second run changes nothing', async () => {
  const shop = await aShop()
  const ada = await shop.person('ada@example.com')
  const vip = await shop.join(ada, 'VIP')
  const coffee = await shop.join(ada, 'Coffee')
  await shop.addDiscount(coffee.contractId, { title: 'Thanks', value: { percentage: 10 } })
  const both = [...VIP20, ['Thanks', 10, 1]]
  assert.deepEqual(await shop.discounts(coffee.contractId), both)
  // 15.00 less 20% is 12.00, less 10% of that is 10.80.
  const shown = await shop.show(coffee.id)
  assert.deepEqual([shown.price - shown.member_discount, shown.member_discount], [10.8, 3])
  const changes: string[] = []
  const set = shop.connector.contracts.setMemberDiscounts
  const engine = shop.withApi({
    setMemberDiscounts: (id: string, wanted: MemberDiscount[]) => {
      changes.push(id)
      return set(id, wanted)
    }
  })
  await shop.due()
  while ((await engine.runOnce(shop.storeId)) > 0);
  assert.deepEqual(changes, [])
  assert.deepEqual(await shop.discounts(coffee.contractId), both)
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [10.8, 10.8])
  await shop.move(vip.id, 'cancel')
  assert.deepEqual(await shop.discounts(coffee.contractId), [['Thanks', 10, 1]])
})

test('a draft whose answer was lost gives no second discount, and is followed', async () => {
  const shop = await aShop(stacked(20))
  const ada = await shop.person('ada@example.com')
  const coffee = await shop.join(ada, 'Coffee')
  await service.admin('POST', `${shop.at}/sandbox/joins`, { customer: ada, plan: 'VIP' })
  await shop.settle()
  await shop.connector.contracts.setMemberDiscounts(coffee.contractId, [])
  await shop.due()
  const set = shop.connector.contracts.setMemberDiscounts
  const engine = shop.withApi({
    async setMemberDiscounts(id: string, wanted: MemberDiscount[]) {
      const done = await set(id, wanted)
      assert.ok(done.ok && done.value)
      return { ok: false, failure: LOST }
    }
  })
  while ((await engine.runOnce(shop.storeId)) > 0);
  assert.deepEqual(await shop.discounts(coffee.contractId), VIP20)
  await shop.advance({ by: 'PT2M' })
  assert.deepEqual(await shop.discounts(coffee.contractId), VIP20)
  // Two at once, as of two processes of which one has lost its lease.
  await set(coffee.contractId, [])
  const wanted = [{ title: 'SVC: VIP: member price', percent: 20, lineIds: await lineIds() }]
  const ended = await Promise.all([1, 2, 3].map(() => set(coffee.contractId, wanted)))
  assert.ok(ended.some((one) => one.ok))
  for (const one of ended) if (!one.ok) assert.equal(one.failure.code, 'stale_contract')
  assert.deepEqual(await shop.discounts(coffee.contractId), VIP20)

  async function lineIds() {
    const found = await shop.connector.contracts.find(coffee.contractId)
    assert.ok(found.ok && found.value)
    return found.value.lines.map(({ id }: { id: string }) => id)
  }
})

test('a requested price is the price without it, and a version of the product plan keeps its list price', async () => {
  const shop = await aShop()
  const ada = await shop.person('ada@example.com')
  const vip = await shop.join(ada, 'VIP')
  const coffee = await shop.join(ada, 'Coffee')
  const done = await service.patch(`/subscriptions/${coffee.id}`, shop.key, { price: 20 })
  assert.equal(done.status, 200)
  await shop.settle()
  const shown = await shop.show(coffee.id)
  assert.deepEqual([shown.price, shown.member_discount], [20, 4])
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [16, 16])
  await shop.move(vip.id, 'cancel')
  assert.deepEqual(await shop.charged(coffee.id, '2026-04-01T00:00:00Z'), [20, 20])
})

test('tags and the scope decide by line: excluded, free for members, outside the collection', async () => {
  const shop = await aShop()
  const [never, free] = [
    await shop.product('Never', ['no-vip-discount']),
    await shop.product('Free', ['100%-VIP-DISCOUNT'])
  ]
  const ada = await shop.person('ada@example.com')
  const coffee = await shop.join(ada, 'Coffee')
  for (const { variant } of [never, free]) {
    await shop.addLine(coffee.contractId, { productVariantId: variant, quantity: 1, currentPrice: '10.00' })
  }
  await shop.join(ada, 'VIP')
  assert.deepEqual(await shop.discounts(coffee.contractId), [...VIP20, ['SVC: VIP: free for members', 100, 1]])
  // 15.00 less 3.00, 10.00, and 10.00 less 10.00.
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [22, 22])

  const collection = await shop.shop(
    `mutation($input: CollectionInput!) { collectionCreate(input: $input) { collection { id } userErrors { message } } }`,
    { input: { title: 'Rare', products: [never.gid] } }
  )
  const id = collection.collection.id.split('/').at(-1)
  const rare = { applies_to: 'collection', collection_ids: [id] }
  await shop.setPerks(stacked(20, rare))
  assert.deepEqual(await shop.discounts(coffee.contractId), [['SVC: VIP: free for members', 100, 1]])
  await shop.setPerks(stacked(20, { applies_to: 'product', product_ids: [shop.beans.id] }))
  assert.deepEqual(await shop.discounts(coffee.contractId), [['SVC: VIP: free for members', 100, 1], ...VIP20])
})

test('what is tagged otherwise, or was removed by somebody else, is followed within a day', async () => {
  const shop = await aShop()
  const ada = await shop.person('ada@example.com')
  await shop.join(ada, 'VIP')
  const coffee = await shop.join(ada, 'Coffee')
  await shop.connector.contracts.setMemberDiscounts(coffee.contractId, [])
  await shop.advance({ by: 'PT25H' })
  assert.deepEqual(await shop.discounts(coffee.contractId), VIP20)
  await shop.shop(`mutation($id: ID!) { tagsAdd(id: $id, tags: ["NO-VIP-DISCOUNT"]) { userErrors { message } } }`, {
    id: shop.beans.gid
  })
  await shop.advance({ by: 'PT25H' })
  assert.deepEqual(await shop.discounts(coffee.contractId), [])
})

test('fractions of a percent and fixed amounts are not had on renewals, and that is said', async () => {
  const shop = await aShop(stacked(12.5))
  const ada = await shop.person('ada@example.com')
  await shop.join(ada, 'VIP')
  const coffee = await shop.join(ada, 'Coffee')
  assert.deepEqual(await shop.discounts(coffee.contractId), [['SVC: VIP: member price', 12, 1]])
  const said = async () =>
    (await call(shop, 'GET', '/platform/discounts')).body.not_enforced
      .filter((one: any) => one.field.endsWith('stack_with_subscriptions'))
      .map((one: any) => one.message)
  assert.deepEqual(await said(), [
    "renewals of product subscriptions are reduced by 12%, not 12.5%: the platform's contracts have whole percents only"
  ])
  await shop.setPerks({ discount: { value: 5, type: 'fixed', stack_with_subscriptions: true } })
  assert.deepEqual(await shop.discounts(coffee.contractId), [])
  assert.deepEqual(await said(), [
    "a fixed amount is not taken off renewals of product subscriptions: the platform's contracts have whole percents only"
  ])
  const warnings = await db.inStore(shop.storeId, auditWarnings)
  assert.ok(warnings.some(({ check, subject }) => check === 'perks_enforced' && /^vip perks/.test(subject)))
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [15, 15])
})

test('a contract that the platform does not let us change is in the report of the doctor, and is not asked again and again', async () => {
  const shop = await aShop()
  const ada = await shop.person('ada@example.com')
  await shop.join(ada, 'VIP')
  const coffee = await shop.join(ada, 'Coffee')
  await shop.connector.contracts.setMemberDiscounts(coffee.contractId, [])
  await shop.due()
  let asked = 0
  const engine = shop.withApi({
    async setMemberDiscounts() {
      asked++
      return { ok: false, failure: { kind: 'unauthorized', code: 'access_denied', message: 'Access denied' } }
    }
  })
  while ((await engine.runOnce(shop.storeId)) > 0);
  while ((await engine.runOnce(shop.storeId)) > 0);
  assert.equal(asked, 1)
  assert.deepEqual((await shop.rules()).warnings, [
    {
      check: 'contract_discounts_kept',
      subject: coffee.id,
      message: 'The platform refuses the discount: Access denied'
    }
  ])
  // It lets us again.
  await db.inStore(shop.storeId, retryMirror)
  await shop.settle()
  assert.deepEqual(await shop.discounts(coffee.contractId), VIP20)
  assert.deepEqual((await shop.rules()).warnings, [])
})

test('a discount of ours of which nothing is known here, as after a restored backup, is removed', async () => {
  const shop = await aShop()
  const ada = await shop.person('ada@example.com')
  const vip = await shop.join(ada, 'VIP')
  const coffee = await shop.join(ada, 'Coffee')
  await db.inStore(shop.storeId, async ({ tx, storeId }) => {
    await tx.run(sql`delete from contract_discounts where store_id = ${storeId}`)
    await tx.run(sql`delete from contract_discount_terms where store_id = ${storeId}`)
  })
  await shop.move(vip.id, 'cancel')
  assert.deepEqual(await shop.discounts(coffee.contractId), [])
  assert.deepEqual(await shop.charged(coffee.id, '2026-03-01T00:00:00Z'), [15, 15])
})

test('of two customers who are merged, the membership of one reduces the contract of the other', async () => {
  const shop = await aShop()
  const [ada, bo] = [await shop.person('ada@example.com'), await shop.person('bo@example.com')]
  await shop.join(ada, 'VIP')
  const coffee = await shop.join(bo, 'Coffee')
  assert.deepEqual(await shop.discounts(coffee.contractId), [])
  await service.sandbox.controls.mergeCustomers({ storeId: shop.storeId, customerId: bo, intoId: ada })
  await shop.settle()
  assert.deepEqual(await shop.discounts(coffee.contractId), VIP20)
  assert.deepEqual(await shop.rules(), { findings: [], warnings: [] })
})

test('the doctor finds a member whose product contract is not to have the discount', async () => {
  const shop = await aShop()
  const ada = await shop.person('ada@example.com')
  await shop.join(ada, 'VIP')
  const coffee = await shop.join(ada, 'Coffee')
  await db.inStore(shop.storeId, (ctx) =>
    ctx.tx.run(sql`delete from contract_discounts where store_id = ${ctx.storeId}`)
  )
  assert.deepEqual((await shop.rules()).findings, [
    {
      check: 'contract_discounts_follow_memberships',
      subject: coffee.id,
      message: 'is to have the discount of vip members, and it is not wanted there'
    }
  ])
})
