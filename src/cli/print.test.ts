import assert from 'node:assert/strict'
import { test } from 'node:test'
import { facts } from './print.ts'

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

test('replaces control characters', () => {
  assert.equal(facts({ names: { first: 'Jo\u001b[2J' } }), 'names.first  Jo?[2J\n')
})
