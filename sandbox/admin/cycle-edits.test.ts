import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { startSandbox, type TestShop } from '../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

const CYCLE =
  'cycleIndex skipped edited billingAttemptExpectedDate status editedContract { note lines(first: 1) { nodes { currentPrice { amount } } } }'

/** A shop whose member's cycles keep their numbers when a contract is edited. */
async function aMember() {
  const shop = await aShop({ chargeFaults: null })
  await shop.aPlan()
  const { contract } = await shop.aMember()
  const input = (index: number) => ({ contractId: contract, selector: { index } })
  const call = async (
    mutation: string,
    index: number,
    more: { types?: string; args?: string; variables?: object } = {}
  ) =>
    (
      await shop.graphql(
        `mutation($cycle: SubscriptionBillingCycleInput!${more.types ?? ''}) {
           answer: ${mutation}(billingCycleInput: $cycle${more.args ?? ''}) {
             billingCycle { ${CYCLE} } userErrors { field message code } } }`,
        { cycle: input(index), ...more.variables }
      )
    ).data.answer
  const read = async (index: number) =>
    (
      await shop.graphql(
        `query($cycle: SubscriptionBillingCycleInput!) { subscriptionBillingCycle(billingCycleInput: $cycle) { ${CYCLE} } }`,
        { cycle: input(index) }
      )
    ).data.subscriptionBillingCycle
  return { shop, contract, input, call, read }
}

async function chargedTotal(shop: TestShop, contract: string, index: number) {
  const { data } = await shop.charge(contract, index)
  const { subscriptionBillingAttempt: attempt, userErrors } = data.subscriptionBillingAttemptCreate
  if (!attempt) return userErrors[0].code
  await shop.settle()
  const read = await shop.graphql(
    'query($id: ID!) { subscriptionBillingAttempt(id: $id) { order { totalPriceSet { shopMoney { amount } } } } }',
    { id: attempt.id }
  )
  return read.data.subscriptionBillingAttempt.order.totalPriceSet.shopMoney.amount
}

test('a skipped cycle is not billed until it is no longer skipped', async () => {
  const { shop, contract, call, read } = await aMember()
  const skipped = await call('subscriptionBillingCycleSkip', 2)
  assert.deepEqual([skipped.billingCycle.skipped, skipped.userErrors], [true, []])
  assert.equal(await chargedTotal(shop, contract, 2), 'BILLING_CYCLE_SKIPPED')
  assert.equal((await call('subscriptionBillingCycleUnskip', 2)).billingCycle.skipped, false)
  assert.equal((await read(2)).skipped, false)
  assert.equal(await chargedTotal(shop, contract, 2), '29.0')
  assert.equal((await call('subscriptionBillingCycleSkip', 2)).userErrors[0].code, 'INVALID')
  assert.equal((await call('subscriptionBillingCycleSkip', 0)).userErrors[0].code, 'INVALID')
})

test('a charge without a selection passes over a skipped cycle', async () => {
  const { shop, contract, call } = await aMember()
  await call('subscriptionBillingCycleSkip', 1)
  const { data } = await shop.graphql(
    `mutation($id: ID!) { subscriptionBillingAttemptCreate(subscriptionContractId: $id,
       subscriptionBillingAttemptInput: { idempotencyKey: "k" }) { subscriptionBillingAttempt { id } userErrors { code } } }`,
    { id: contract }
  )
  assert.deepEqual(data.subscriptionBillingAttemptCreate.userErrors, [])
  await shop.settle()
  const { data: cycles } = await shop.graphql(
    'query($id: ID!) { subscriptionBillingCycles(contractId: $id, first: 3) { nodes { cycleIndex status } } }',
    { id: contract }
  )
  assert.deepEqual(
    cycles.subscriptionBillingCycles.nodes.map((one: { status: string }) => one.status),
    ['UNBILLED', 'BILLED', 'UNBILLED']
  )
})

test('a cycle can be billed on another day, within its neighbours', async () => {
  const { call, read } = await aMember()
  const edit = (index: number, input: object) =>
    call('subscriptionBillingCycleScheduleEdit', index, {
      types: ', $input: SubscriptionBillingCycleScheduleEditInput!',
      args: ', input: $input',
      variables: { input: { reason: 'BUYER_INITIATED', ...input } }
    })
  const [before, after] = [await read(1), await read(3)]
  const moved = Temporal.Instant.from(before.billingAttemptExpectedDate).add({ hours: 240 }).toString()
  const { billingCycle } = await edit(2, { billingDate: moved })
  assert.deepEqual([billingCycle.billingAttemptExpectedDate, billingCycle.edited], [moved, true])
  const codes = async (index: number, input: object) =>
    (await edit(index, input)).userErrors.map((one: { code: string }) => one.code)
  assert.deepEqual(await codes(2, { billingDate: after.billingAttemptExpectedDate }), ['OUT_OF_BOUNDS'])
  assert.deepEqual(await codes(2, {}), ['EMPTY_BILLING_CYCLE_EDIT_SCHEDULE_INPUT'])
  assert.deepEqual(await codes(2, { skip: true, billingDate: moved }), ['BILLING_DATE_SET_ON_SKIPPED'])
  assert.deepEqual(await codes(0, { skip: true }), ['CYCLE_INDEX_OUT_OF_RANGE'])
  assert.equal((await edit(3, { skip: true })).billingCycle.skipped, true)
})

test('an edited contract is charged in its cycle alone, until the edit is deleted', async () => {
  const { shop, contract, input, read } = await aMember()
  const { draft } = await shop.mutate(
    `mutation($cycle: SubscriptionBillingCycleInput!) { subscriptionBillingCycleContractEdit(billingCycleInput: $cycle) {
       draft { id billingCycle { cycleIndex } lines(first: 1) { nodes { id } } } userErrors { message } } }`,
    { cycle: input(2) }
  )
  assert.equal(draft.billingCycle.cycleIndex, 2)
  await shop.mutate(
    `mutation($id: ID!, $line: ID!) { subscriptionDraftLineUpdate(draftId: $id, lineId: $line, input: { currentPrice: "5.00" }) {
       userErrors { message } } }`,
    { id: draft.id, line: draft.lines.nodes[0].id }
  )
  const wrong = await shop.graphql(
    'mutation($id: ID!) { subscriptionDraftCommit(draftId: $id) { userErrors { code } } }',
    { id: draft.id }
  )
  assert.equal(wrong.data.subscriptionDraftCommit.userErrors[0].code, 'BILLING_CYCLE_PRESENT')
  const commit = `mutation($id: ID!) { subscriptionBillingCycleContractDraftCommit(draftId: $id) {
    contract { lines(first: 1) { nodes { currentPrice { amount } } } } userErrors { code message } } }`
  const { contract: edited } = await shop.mutate(commit, { id: draft.id })
  assert.equal(edited.lines.nodes[0].currentPrice.amount, '5.0')
  assert.equal(
    (await shop.graphql(commit, { id: draft.id })).data.subscriptionBillingCycleContractDraftCommit.userErrors[0].code,
    'COMMITTED'
  )
  assert.deepEqual([(await read(1)).editedContract, (await read(2)).edited], [null, true])
  assert.deepEqual([await chargedTotal(shop, contract, 1), await chargedTotal(shop, contract, 2)], ['29.0', '5.0'])
  const remove = async (index: number) =>
    (
      await shop.graphql(
        `mutation($cycle: SubscriptionBillingCycleInput!) { subscriptionBillingCycleEditDelete(billingCycleInput: $cycle) {
           billingCycles { cycleIndex edited } userErrors { code } } }`,
        { cycle: input(index) }
      )
    ).data.subscriptionBillingCycleEditDelete
  assert.deepEqual((await remove(2)).billingCycles, [{ cycleIndex: 2, edited: false }])
  assert.equal((await remove(2)).userErrors[0].code, 'NO_CYCLE_EDITS')
})

test('all edits of a contract are deleted at once', async () => {
  const { shop, contract, call } = await aMember()
  await call('subscriptionBillingCycleSkip', 2)
  await call('subscriptionBillingCycleSkip', 4)
  const { billingCycles } = await shop.mutate(
    `mutation($id: ID!) { subscriptionBillingCycleEditsDelete(contractId: $id, targetSelection: ALL) {
       billingCycles { cycleIndex skipped } userErrors { message } } }`,
    { id: contract }
  )
  assert.deepEqual(billingCycles, [
    { cycleIndex: 2, skipped: false },
    { cycleIndex: 4, skipped: false }
  ])
})

async function anOpenDraft(shop: TestShop, contract: string) {
  const { draft } = await shop.mutate(
    'mutation($id: ID!) { subscriptionContractUpdate(contractId: $id) { draft { id } userErrors { message } } }',
    { id: contract }
  )
  return draft.id as string
}

test('a discount of a draft is changed, and a code is applied or says why not', async () => {
  const { shop, contract } = await aMember()
  const id = await anOpenDraft(shop, contract)
  const { discountAdded } = await shop.mutate(
    `mutation($id: ID!) { subscriptionDraftDiscountAdd(draftId: $id,
       input: { title: "Ten", value: { percentage: 10 }, entitledLines: { all: true } }) {
         discountAdded { id } userErrors { message } } }`,
    { id }
  )
  const { discountUpdated } = await shop.mutate(
    `mutation($id: ID!, $discount: ID!) { subscriptionDraftDiscountUpdate(draftId: $id, discountId: $discount,
       input: { title: "Half", value: { percentage: 50 } }) {
         discountUpdated { id title value { ... on SubscriptionDiscountPercentageValue { percentage } } } userErrors { message } } }`,
    { id, discount: discountAdded.id }
  )
  assert.deepEqual(discountUpdated, { id: discountAdded.id, title: 'Half', value: { percentage: 50 } })
  await shop.mutate(
    `mutation($input: DiscountCodeBasicInput!) { discountCodeBasicCreate(basicCodeDiscount: $input) { userErrors { message } } }`,
    {
      input: {
        title: 'Four off',
        code: 'FOUR',
        startsAt: '2026-01-01T00:00:00Z',
        context: { all: 'ALL' },
        customerGets: {
          appliesOnSubscription: true,
          appliesOnOneTimePurchase: false,
          items: { all: true },
          value: { discountAmount: { amount: '4.00', appliesOnEachItem: false } }
        }
      }
    }
  )
  const apply = async (redeemCode: string) =>
    (
      await shop.mutate(
        `mutation($id: ID!, $code: String!) { subscriptionDraftDiscountCodeApply(draftId: $id, redeemCode: $code) {
           appliedDiscount { redeemCode rejectionReason } userErrors { message } } }`,
        { id, code: redeemCode }
      )
    ).appliedDiscount
  assert.deepEqual(await apply('four'), { redeemCode: 'FOUR', rejectionReason: null })
  assert.deepEqual(await apply('NONE'), { redeemCode: 'NONE', rejectionReason: 'NOT_FOUND' })
  await shop.mutate('mutation($id: ID!) { subscriptionDraftCommit(draftId: $id) { userErrors { message } } }', { id })
  // Half of 29, then four.
  assert.equal(await chargedTotal(shop, contract, 1), '10.5')
})

test('free shipping of a draft is changed as such alone', async () => {
  const { shop, contract } = await aMember()
  const id = await anOpenDraft(shop, contract)
  const { discountAdded } = await shop.mutate(
    `mutation($id: ID!) { subscriptionDraftFreeShippingDiscountAdd(draftId: $id, input: { title: "Free" }) {
       discountAdded { id } userErrors { message } } }`,
    { id }
  )
  const { data } = await shop.graphql(
    `mutation($id: ID!, $discount: ID!) {
       shipping: subscriptionDraftFreeShippingDiscountUpdate(draftId: $id, discountId: $discount, input: { recurringCycleLimit: 3 }) {
         discountUpdated { recurringCycleLimit title } userErrors { code } }
       lines: subscriptionDraftDiscountUpdate(draftId: $id, discountId: $discount, input: { title: "No" }) { userErrors { code } } }`,
    { id, discount: discountAdded.id }
  )
  assert.deepEqual(data.shipping.discountUpdated, { recurringCycleLimit: 3, title: 'Free' })
  assert.equal(data.lines.userErrors[0].code, 'INVALID')
})

test('a line of a contract changes its price without a draft', async () => {
  const { shop, contract } = await aMember()
  const { data } = await shop.graphql(
    'query($id: ID!) { subscriptionContract(id: $id) { lines(first: 1) { nodes { id } } } }',
    { id: contract }
  )
  const line = data.subscriptionContract.lines.nodes[0].id
  const change = async (lineId: string, currentPrice: string) =>
    (
      await shop.graphql(
        `mutation($id: ID!, $line: ID!, $price: Decimal) { subscriptionContractProductChange(subscriptionContractId: $id,
           lineId: $line, input: { currentPrice: $price }) {
             lineUpdated { id currentPrice { amount } } contract { id } userErrors { field code } } }`,
        { id: contract, line: lineId, price: currentPrice }
      )
    ).data.subscriptionContractProductChange
  assert.deepEqual((await change(line, '7.00')).lineUpdated, { id: line, currentPrice: { amount: '7.0' } })
  assert.deepEqual((await change(line, '-1')).userErrors, [
    { field: ['input', 'currentPrice'], code: 'GREATER_THAN_OR_EQUAL_TO' }
  ])
  assert.deepEqual((await change(`${line}x`, '1')).userErrors, [{ field: ['lineId'], code: 'INVALID' }])
  assert.equal(await chargedTotal(shop, contract, 1), '7.0')
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
