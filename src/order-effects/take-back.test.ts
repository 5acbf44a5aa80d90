import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reversedOf } from './take-back.ts'

const DISPUTE = { id: '1', type: 'chargeback', status: 'needs_response', initiatedAt: '', isProtected: true }
const disputed = (
  ...disputes: { type?: string; status?: string; amountMinor?: number | null; currency?: string | null }[]
) =>
  reversedOf({
    totalMinor: 6000,
    currency: 'USD',
    edits: null,
    refunds: [],
    disputes: disputes.map((one) => ({ ...DISPUTE, amountMinor: 1500, currency: 'USD', ...one }))
  }).disputedMinor

test('a dispute claims its amount, or the whole order where the amount is unknown or in another currency', () => {
  assert.equal(disputed({}), 1500)
  assert.equal(disputed({ amountMinor: null }), 6000)
  assert.equal(disputed({ currency: 'EUR' }), 6000)
  assert.equal(disputed({ currency: null }), 6000)
  assert.equal(disputed({}, { amountMinor: 500 }), 2000)
})

test('a chargeback counts unless it was won, prevented or refunded; an inquiry only when it was lost or accepted', () => {
  const counted = (type: string) =>
    ['needs_response', 'under_review', 'lost', 'accepted', 'won', 'prevented', 'charge_refunded'].filter(
      (status) => disputed({ type, status }) > 0
    )
  assert.deepEqual(counted('chargeback'), ['needs_response', 'under_review', 'lost', 'accepted'])
  assert.deepEqual(counted('inquiry'), ['lost', 'accepted'])
})

test('refunds add up', () => {
  const refunds = [1000, 0, 500].map((minor, i) => ({ id: String(i), at: '', minor }))
  assert.equal(
    reversedOf({ totalMinor: 6000, currency: 'USD', edits: null, refunds, disputes: [] }).refundedMinor,
    1500
  )
})

test('what an edit has removed is no part of the order of which refunds take a share', () => {
  const line = {
    id: '1',
    productId: '1',
    variantId: null,
    title: 'Mug',
    discountMinor: 0,
    sellingPlanId: null,
    contractId: null
  }
  const lines = [
    { ...line, quantity: 1, priceMinor: 4000 },
    { ...line, quantity: 1, priceMinor: 2000, currentQuantity: 0 }
  ]
  const edits = { subtotalMinor: 6000, currentTotalMinor: 3000, lines }
  const refunds = [{ id: '1', at: '', minor: 1000 }]
  const disputes = [{ ...DISPUTE, amountMinor: null, currency: null }]
  assert.deepEqual(reversedOf({ totalMinor: 6000, currency: 'USD', edits, refunds, disputes }), {
    ...{ wholeMinor: 4000, refundedMinor: 1000, disputedMinor: 6000 }
  })
})
