import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aContract, aLine, aPlatform, data, theValue } from '../../../test/fake-platform.ts'

const usd = (amount: string) => ({ amount, currencyCode: 'USD' })

for (const [what, line, priceMinor] of [
  ['without announced changes it is the discounted price', { lineDiscountedPrice: usd('26.10') }, 2610],
  [
    'the first price of a trial is no part of it',
    { currentPrice: usd('1.00'), lineDiscountedPrice: usd('1.00'), changes: { 1: '29.00' } },
    2900
  ],
  [
    'a free first price is no part of it either',
    { currentPrice: usd('0.00'), lineDiscountedPrice: usd('0.00'), changes: { 1: '29.00' } },
    2900
  ],
  ['of several changes the last one counts', { changes: { 3: '25.00', 1: '27.00', 12: '20.00' } }, 2000],
  ['a price from the beginning is not a change', { changes: { 0: '5.00' } }, 2900],
  ['it is for the whole quantity', { quantity: 3, lineDiscountedPrice: usd('87.00'), changes: { 1: '31.00' } }, 9300],
  [
    'a discount must be the same share of it, rounded',
    { currentPrice: usd('3.00'), lineDiscountedPrice: usd('2.00'), changes: { 1: '29.00' } },
    1933
  ]
] as const) {
  test(`the price of a contract: ${what}`, async () => {
    const { changes = {}, ...rest } = line as { changes?: Record<string, string> }
    const cycleDiscounts = Object.entries(changes).map(([afterCycle, price]) => ({
      afterCycle: Number(afterCycle),
      computedPrice: usd(price)
    }))
    const pricingPolicy = cycleDiscounts.length > 0 ? { cycleDiscounts } : null
    const nodes = [{ ...aLine(1), lineDiscountedPrice: usd('29.00'), ...rest, pricingPolicy }]
    const { connector } = await aPlatform((res) => {
      const contract = aContract('9')
      data(res, { subscriptionContract: { ...contract, lines: { ...contract.lines, nodes } } })
    })
    assert.equal(theValue(await connector.contracts.find('9'))?.priceMinor, priceMinor)
  })
}
