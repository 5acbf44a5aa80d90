import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimalOf, inProportion, minorOf, numberOf } from './money.ts'

for (const [amount, currency, minor] of [
  ['29.00', 'USD', 2900],
  [29, 'USD', 2900],
  [0.1, 'USD', 10],
  ['-0.05', 'USD', -5],
  ['-0', 'USD', 0],
  ['1.500', 'USD', 150],
  [` 7 `, 'JPY', 7],
  ['7.000', 'JPY', 7],
  ['1.234', 'KWD', 1234],
  // Money of these has decimals on the platform although nobody pays them in cash.
  ['1990.50', 'HUF', 199050],
  ['10900.25', 'COP', 1090025],
  ['15000.75', 'IDR', 1500075],
  ['1.234', 'IQD', 1234],
  ['5', 'ISK', 5],
  [`1.${'0'.repeat(100_000)}`, 'USD', 100]
] as const) {
  test(`${String(amount).slice(0, 20)} ${currency} is ${minor} minor units`, () => {
    assert.equal(minorOf(amount, currency), minor)
  })
}

for (const [amount, currency, message] of [
  ['1.005', 'USD', 'amount must have at most 2 decimals in USD'],
  [1e-7, 'USD', 'amount must have at most 2 decimals in USD'],
  [-1.5e-7, 'KWD', 'amount must have at most 3 decimals in KWD'],
  [0.5, 'JPY', 'amount must have at most 0 decimals in JPY'],
  ['1e-7', 'USD', 'amount must be a decimal amount such as 29.00'],
  ['1,5', 'USD', 'amount must be a decimal amount such as 29.00'],
  ['', 'USD', 'amount must be a decimal amount such as 29.00'],
  [Number.NaN, 'USD', 'amount must be a decimal amount such as 29.00'],
  [1e21, 'USD', 'amount must be a decimal amount such as 29.00'],
  ['999999999999999', 'USD', 'amount must be at most 90071992547409.91 in USD'],
  [1e15, 'USD', 'amount must be at most 90071992547409.91 in USD'],
  ['9'.repeat(20), 'USD', 'amount must be at most 90071992547409.91 in USD']
] as const) {
  test(`${amount === '' ? 'an empty text' : amount} is not an amount in ${currency}`, () => {
    assert.throws(() => minorOf(amount, currency), { code: 'invalid_request', message })
  })
}

test('an amount survives conversion to a decimal string or a number and back', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e14, max: 1e14 }),
      fc.constantFrom('USD', 'JPY', 'KWD', 'HUF', 'CLF'),
      (minor, currency) => {
        assert.equal(minorOf(decimalOf(minor, currency), currency), minor)
        assert.equal(minorOf(numberOf(minor, currency), currency), minor)
      }
    )
  )
})

for (const [amount, part, whole, expected] of [
  [1000, 15, 60, 250],
  [1000, 1, 3, 333],
  [1000, 2, 3, 666],
  [1000, 0, 60, 0],
  [1000, -5, 60, 0],
  [1000, 60, 60, 1000],
  [1000, 90, 60, 1000],
  [Number.MAX_SAFE_INTEGER, 2, 3, 6004799503160660],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1]
] as const) {
  test(`${part} of ${whole} is ${expected} of ${amount}`, () => {
    assert.equal(inProportion(amount, part, whole), expected)
  })
}
