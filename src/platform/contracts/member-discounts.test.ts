import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aContract, aLine, aPlatform, data, theFailure, theValue } from '../../../test/fake-platform.ts'
import { type FoundMemberDiscount, memberDiscountChanges, memberDiscountTitle } from './member-discounts.ts'

const usd = (amount: string) => ({ amount, currencyCode: 'USD' })
const PRICE = memberDiscountTitle('VIP', 'price')

/** A contract of one line at 10.00 (later 20.00, where it is a trial), from which these discounts take something. */
async function priced(reductions: Record<string, string>, discounted: string, later: string | null = null) {
  const line = { ...aLine(1), currentPrice: usd('10.00'), lineDiscountedPrice: usd(discounted) }
  const pricingPolicy = later && { cycleDiscounts: [{ afterCycle: 1, computedPrice: usd(later) }] }
  const { connector, requests } = await aPlatform(
    (res, { operation }) => {
      const contract = aContract('9', [{ ...line, ...(pricingPolicy && { pricingPolicy }) }])
      if (operation === 'ContractById') return data(res, { subscriptionContract: contract })
      const discountAllocations = Object.entries(reductions).map(([title, amount]) => ({
        amount: usd(amount),
        discount: { title }
      }))
      const lines = { nodes: [{ id: line.id, lineDiscountedPrice: usd(discounted), discountAllocations }] }
      data(res, { nodes: [{ id: contract.id, currencyCode: 'USD', lines }] })
    },
    { respondsToAllocations: true }
  )
  const { priceMinor, memberDiscountMinor } = theValue(await connector.contracts.find('9'))!
  return [priceMinor, memberDiscountMinor, requests.length]
}

test('our discount is no part of the price, discounts of others are; nothing is asked where no line is reduced', async () => {
  assert.deepEqual(await priced({ [PRICE]: '2.00' }, '8.00'), [1000, 200, 2])
  assert.deepEqual(await priced({ Thanks: '2.00' }, '8.00'), [800, 0, 2])
  assert.deepEqual(await priced({ Thanks: '1.00', [PRICE]: '1.80' }, '7.20'), [900, 180, 2])
  assert.deepEqual(await priced({}, '10.00'), [1000, 0, 1])
  // The first price of a trial is no part of it: the same share is taken off the later one.
  assert.deepEqual(await priced({ [PRICE]: '2.00' }, '8.00', '20.00'), [2000, 400, 2])
})

const found = (over: Partial<FoundMemberDiscount> = {}): FoundMemberDiscount => ({
  ...{
    gid: 'gid://platform/SubscriptionManualDiscount/1',
    title: PRICE,
    percent: 20,
    lineIds: ['a', 'b'],
    isPlain: true
  },
  ...over
})
const WANTED = { title: PRICE, percent: 20, lineIds: ['b', 'a'] }

test('a discount stays only as it is wanted, and once', () => {
  const changes = (has: FoundMemberDiscount[], wanted = [WANTED]) => {
    const { remove, add } = memberDiscountChanges(has, wanted)
    return [remove.length, add.length]
  }
  assert.deepEqual(changes([found()]), [0, 0])
  assert.deepEqual(changes([]), [0, 1])
  assert.deepEqual(changes([found(), found()]), [1, 0])
  assert.deepEqual(changes([found()], []), [1, 0])
  for (const other of [
    { percent: 10 },
    { percent: null },
    { title: memberDiscountTitle('Gold', 'price') },
    { lineIds: ['a'] },
    { lineIds: ['a', 'c'] },
    { lineIds: null },
    { isPlain: false }
  ]) {
    assert.deepEqual(changes([found(other)]), [1, 1], JSON.stringify(other))
  }
})

test('a long name of a tier leaves a title that is recognised', () => {
  const title = memberDiscountTitle('x'.repeat(300), 'free')
  assert.equal(title.length, 255)
  assert.match(title, /^SVC: x+: free for members$/)
})

test('a draft without a difference is not committed, and one of a changed contract is refused', async () => {
  const node = {
    id: 'gid://platform/SubscriptionManualDiscount/1',
    title: PRICE,
    recurringCycleLimit: null,
    value: { percentage: 20 },
    entitledLines: { all: false, lines: { nodes: [{ id: 'gid://platform/SubscriptionLine/a' }] } }
  }
  const stale = { field: ['draftId'], message: 'The contract has changed.', code: 'STALE_CONTRACT' }
  const { connector, requests } = await aPlatform((res, { operation }) => {
    const draft = { id: 'gid://platform/SubscriptionDraft/1' }
    const discounts = { nodes: [{}, node], pageInfo: { hasNextPage: false, endCursor: null } }
    if (operation === 'MemberDiscountDraft') {
      return data(res, { subscriptionContractUpdate: { draft: { ...draft, discounts }, userErrors: [] } })
    }
    if (operation === 'DraftCommit')
      return data(res, { subscriptionDraftCommit: { contract: null, userErrors: [stale] } })
    const field = operation.replace('DraftDiscount', 'subscriptionDraftDiscount')
    data(res, { [field]: { draft, userErrors: [] } })
  })
  const set = (percent: number) =>
    connector.contracts.setMemberDiscounts('9', [{ title: PRICE, percent, lineIds: ['a'] }])
  assert.equal(theValue(await set(20)), null)
  assert.equal(requests.length, 1)
  assert.equal(theFailure(await set(30)).code, 'stale_contract')
  assert.deepEqual(
    requests.slice(1).map(({ operation }) => operation),
    ['MemberDiscountDraft', 'DraftDiscountRemove', 'DraftDiscountAdd', 'DraftCommit']
  )
  assert.deepEqual(requests.at(-2)!.variables.input, {
    title: PRICE,
    value: { percentage: 30 },
    entitledLines: { lines: { add: ['gid://platform/SubscriptionLine/a'] } }
  })
})
