import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withAmounts } from './define-audit-rule.ts'

for (const [what, currency, message, shown] of [
  ['in the currency of the store', 'USD', 'has {{1166}} and {{-5}}', 'has 11.66 USD and -0.05 USD'],
  ['without decimals', 'JPY', 'has {{1166}}', 'has 1166 JPY'],
  ['in a currency of its own', 'USD', 'cost {{1166 KWD}}, and {{0}}', 'cost 1.166 KWD, and 0.00 USD'],
  ['which is none', 'USD', 'says {{x}}, {5} and {{}}', 'says {{x}}, {5} and {{}}']
] as const) {
  test(`an amount of a finding is shown ${what}`, () => {
    assert.equal(withAmounts(message, currency), shown)
  })
}
