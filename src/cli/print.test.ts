import assert from 'node:assert/strict'
import { test } from 'node:test'
import { facts, harmless, table } from './print.ts'

test('prints one line per nested field and one line per object of a list', () => {
  assert.equal(
    facts({
      id: 'plan_3',
      allowed_countries: [],
      product_ids: ['7', '8'],
      gift: null,
      perks: { discount: null, free_shipping: { countries: ['AT', 'DE'], threshold: { type: 'subtotal', value: 20 } } },
      details: {},
      versions: [
        { version: 2, price: 35, apply_to: 'running' },
        { version: 1, price: 29, apply_to: 'new' }
      ]
    }),
    `id                                   plan_3
allowed_countries                    -
product_ids                          7, 8
gift                                 -
perks.discount                       -
perks.free_shipping.countries        AT, DE
perks.free_shipping.threshold.type   subtotal
perks.free_shipping.threshold.value  20
details                              {}
versions                             version 2, price 35, apply_to running
                                     version 1, price 29, apply_to new
`
  )
})

test('shows control characters and marks of writing direction as JSON writes them', () => {
  assert.equal(facts({ names: { first: 'Jo\u001b[2J' } }), 'names.first  Jo\\u001b[2J\n')
  for (const [written, shown] of [
    ['a\nb', 'a\\nb'],
    ['a\r\tb', 'a\\r\\tb'],
    ['\u0000\u007f\u0085', '\\u0000\\u007f\\u0085'],
    ['Ann\u202eefig', 'Ann\\u202eefig'],
    ['\u061c\u200e\u200f\u2066\u2069', '\\u061c\\u200e\\u200f\\u2066\\u2069'],
    ['a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
    ['Zoë שָׁלוֹם 👩‍🚀', 'Zoë שָׁלוֹם 👩‍🚀']
  ]) {
    assert.equal(harmless(written!), shown)
  }
})

test('no name moves the columns of a table', () => {
  const show = table(['name', 'email'], 'none')
  const data = ['Ann\nGifted', 'Bob \u202emoc', 'Cid'].map((name) => ({ name, email: 'a@example.com' }))
  assert.equal(
    show({ data }),
    `NAME           EMAIL
Ann\\nGifted    a@example.com
Bob \\u202emoc  a@example.com
Cid            a@example.com
`
  )
})
