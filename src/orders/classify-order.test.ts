import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { classifyOrder, type OrderClassification, type OrderToClassify } from '#orders'

const at = (text: string) => Temporal.Instant.from(text)
const DAY1 = at('2026-01-01T00:00:00Z')
const DAY2 = at('2026-01-02T00:00:00Z')
const DAY3 = at('2026-01-03T00:00:00Z')

const PLAIN: OrderToClassify = {
  membership: null,
  product: null,
  activeTierName: null,
  financialStatus: 'paid',
  refundedAt: [],
  disputes: [],
  creditRedeemedMinor: 0,
  creditRestoredMinor: 0,
  attributes: [],
  isOrderGiftEnabled: false
}

const vip = (part: 'trial' | 'signup' | 'renewal', orderNumber: number) => ({ part, orderNumber, tierName: 'VIP' })
const product = (part: 'trial' | 'signup' | 'renewal', orderNumber: number) => ({ part, orderNumber })
const dispute = (status: string, over = {}) => ({
  type: 'chargeback',
  status,
  initiatedAt: DAY2,
  ...over
})

const RESULT: OrderClassification = {
  checkoutType: 'PAYG',
  orderTag: '',
  chargeNumber: null,
  autochargeStatus: '',
  tags: []
}

/** The table of docs/orders.md: what an order is, and what becomes of it. */
const TABLE: [name: string, order: Partial<OrderToClassify>, result: Partial<OrderClassification>][] = [
  ['a plain order of somebody who is no member is PAYG without a tag', {}, {}],
  [
    'a plain order of an active member is VIP with the tier as its only tag',
    { activeTierName: 'VIP' },
    { checkoutType: 'VIP', tags: ['VIP'] }
  ],
  [
    'a checkout with a membership line is New-vip',
    { membership: vip('signup', 1) },
    { checkoutType: 'VIP', orderTag: 'New-vip', chargeNumber: 1, tags: ['new-VIP', 'charge-1'] }
  ],
  [
    'an Elite checkout has the same order_tag and its own tier in the tags',
    { membership: { ...vip('signup', 1), tierName: 'Elite' } },
    { checkoutType: 'VIP', orderTag: 'New-vip', chargeNumber: 1, tags: ['new-Elite', 'charge-1'] }
  ],
  [
    'a trial checkout has the trial tag alone of those of the membership',
    { membership: vip('trial', 1), activeTierName: 'VIP' },
    { checkoutType: 'VIP', orderTag: 'trial fee', chargeNumber: 1, tags: ['VIP-trial', 'charge-1'] }
  ],
  [
    'the first full charge after a trial is a recharge',
    { membership: vip('renewal', 2) },
    { checkoutType: 'VIP', orderTag: 'recharge', chargeNumber: 2, tags: ['VIP-Recharge', 'charge-2'] }
  ],
  [
    'a renewal does not have the plain tier as well, although the member is active',
    { membership: vip('renewal', 7), activeTierName: 'VIP' },
    { checkoutType: 'VIP', orderTag: 'recharge', chargeNumber: 7, tags: ['VIP-Recharge', 'charge-7'] }
  ],
  [
    'a checkout of a product subscription',
    { product: product('signup', 1) },
    {
      checkoutType: 'Product Subscription',
      orderTag: 'New-SubsProd',
      chargeNumber: 1,
      tags: ['New-SubsProd', 'charge-1']
    }
  ],
  [
    'a recharge of a product subscription by an active member has the plain tier too, and is no VIP checkout',
    { product: product('renewal', 4), activeTierName: 'VIP' },
    {
      checkoutType: 'Product Subscription',
      orderTag: 'SubsProd-Recharge',
      chargeNumber: 4,
      tags: ['VIP', 'SubsProd-Recharge', 'charge-4']
    }
  ],
  [
    'one order with a membership and a subscribed product has both sets of tags, and membership comes first elsewhere',
    { membership: vip('signup', 1), product: product('signup', 1) },
    { checkoutType: 'VIP', orderTag: 'New-vip', chargeNumber: 1, tags: ['new-VIP', 'New-SubsProd', 'charge-1'] }
  ],
  [
    'both sets with two numbers, where the contracts are not equally old',
    { membership: vip('renewal', 3), product: product('renewal', 9) },
    {
      checkoutType: 'VIP',
      orderTag: 'recharge',
      chargeNumber: 3,
      tags: ['VIP-Recharge', 'SubsProd-Recharge', 'charge-3', 'charge-9']
    }
  ],
  [
    'autocharge_status of a refunded recharge',
    { membership: vip('renewal', 2), financialStatus: 'refunded', refundedAt: [DAY3] },
    {
      checkoutType: 'VIP',
      orderTag: 'recharge',
      chargeNumber: 2,
      autochargeStatus: 'refunded',
      tags: ['VIP-Recharge', 'charge-2']
    }
  ],
  [
    'autocharge_status of a voided product recharge',
    { product: product('renewal', 2), financialStatus: 'voided' },
    {
      checkoutType: 'Product Subscription',
      orderTag: 'SubsProd-Recharge',
      chargeNumber: 2,
      autochargeStatus: 'voided',
      tags: ['SubsProd-Recharge', 'charge-2']
    }
  ],
  [
    'autocharge_status is of recharges only',
    { membership: vip('signup', 1), financialStatus: 'refunded', disputes: [dispute('lost')] },
    {
      checkoutType: 'VIP',
      orderTag: 'New-vip',
      chargeNumber: 1,
      tags: ['new-VIP', 'charge-1', 'Chargeback-Bank-Refund']
    }
  ],
  [
    'a disputed recharge is Dispute, also where it was refunded',
    { membership: vip('renewal', 2), financialStatus: 'refunded', disputes: [dispute('under_review')] },
    {
      checkoutType: 'VIP',
      orderTag: 'recharge',
      chargeNumber: 2,
      autochargeStatus: 'Dispute',
      tags: ['VIP-Recharge', 'charge-2']
    }
  ],
  [
    'a won dispute leaves no trace, neither does a partial refund',
    { membership: vip('renewal', 2), financialStatus: 'partially_refunded', disputes: [dispute('won')] },
    { checkoutType: 'VIP', orderTag: 'recharge', chargeNumber: 2, tags: ['VIP-Recharge', 'charge-2'] }
  ],
  [
    'a prevented one is an alert and no Dispute: the refund counts',
    { membership: vip('renewal', 2), financialStatus: 'refunded', disputes: [dispute('prevented')] },
    {
      checkoutType: 'VIP',
      orderTag: 'recharge',
      chargeNumber: 2,
      autochargeStatus: 'refunded',
      tags: ['VIP-Recharge', 'charge-2', 'Chargeback-Alert-Refund']
    }
  ],
  [
    'of two disputes that began at the same time the later one counts',
    { membership: vip('renewal', 2), disputes: [dispute('under_review'), dispute('won')] },
    { checkoutType: 'VIP', orderTag: 'recharge', chargeNumber: 2, tags: ['VIP-Recharge', 'charge-2'] }
  ],
  ['a lost dispute is a bank refund', { disputes: [dispute('lost')] }, { tags: ['Chargeback-Bank-Refund'] }],
  [
    'an accepted one too, whatever it began as',
    { disputes: [dispute('accepted', { type: 'inquiry' })] },
    { tags: ['Chargeback-Bank-Refund'] }
  ],
  [
    'an inquiry whose order was refunded after it began is an alert',
    { disputes: [dispute('under_review', { type: 'inquiry' })], refundedAt: [DAY3] },
    { tags: ['Chargeback-Alert-Refund'] }
  ],
  [
    'a refund from before the inquiry makes no alert',
    { disputes: [dispute('under_review', { type: 'inquiry' })], refundedAt: [DAY1] },
    {}
  ],
  ['an open chargeback has no tag yet', { disputes: [dispute('needs_response')], refundedAt: [DAY3] }, {}],
  [
    'the newest of two disputes decides the status, both decide the tags',
    {
      product: product('renewal', 2),
      disputes: [dispute('lost', { initiatedAt: DAY1 }), dispute('won', { initiatedAt: DAY3 })]
    },
    {
      checkoutType: 'Product Subscription',
      orderTag: 'SubsProd-Recharge',
      chargeNumber: 2,
      tags: ['SubsProd-Recharge', 'charge-2', 'Chargeback-Bank-Refund']
    }
  ],
  ['credit that was spent', { creditRedeemedMinor: 500 }, { tags: ['credits-redeemed'] }],
  [
    'credit that was restored',
    { creditRedeemedMinor: 500, creditRestoredMinor: 200 },
    { tags: ['credits-redeemed', 'credits-redeemed-restored'] }
  ],
  [
    'a delivery schedule: commas become spaces, 40 characters in all',
    { attributes: [{ name: 'deliverySchedule', value: ' Mon,Wed,Fri in the early morning hours ' }] },
    { tags: ['deliverySchedule: Mon Wed Fri in the ear'] }
  ],
  [
    'a schedule is cut between characters, not within one',
    { attributes: [{ name: 'deliverySchedule', value: `${'x'.repeat(21)}\u{1F381}\u{1F381}` }] },
    { tags: [`deliverySchedule: ${'x'.repeat(21)}\u{1F381}`] }
  ],
  ['a schedule of commas is none', { attributes: [{ name: 'deliverySchedule', value: ',, ' }] }, {}],
  ['an empty schedule is none', { attributes: [{ name: 'deliverySchedule', value: ' ' }] }, {}],
  [
    'a true mystery_gift while order gifts are enabled',
    { attributes: [{ name: 'mystery_gift', value: 'True' }], isOrderGiftEnabled: true },
    { tags: ['mystery_gift'] }
  ],
  ['a false one', { attributes: [{ name: 'mystery_gift', value: 'false' }], isOrderGiftEnabled: true }, {}],
  ['one while they are not enabled', { attributes: [{ name: 'mystery_gift', value: '1' }] }, {}]
]

for (const [name, order, result] of TABLE) {
  test(name, () => assert.deepEqual(classifyOrder({ ...PLAIN, ...order }), { ...RESULT, ...result }))
}

const part = fc.constantFrom('trial' as const, 'signup' as const, 'renewal' as const)
const anyOrder: fc.Arbitrary<OrderToClassify> = fc.record({
  membership: fc.option(fc.record({ part, orderNumber: fc.nat(50), tierName: fc.constantFrom('VIP', 'Elite') })),
  product: fc.option(fc.record({ part, orderNumber: fc.nat(50) })),
  activeTierName: fc.option(fc.constantFrom('VIP', 'Elite')),
  financialStatus: fc.constantFrom('paid', 'pending', 'refunded', 'voided', 'partially_refunded', 'something_new'),
  refundedAt: fc.array(fc.constantFrom(DAY1, DAY3), { maxLength: 2 }),
  disputes: fc.array(
    fc.record({
      type: fc.constantFrom('chargeback', 'inquiry', 'something_new'),
      status: fc.constantFrom(
        'needs_response',
        'under_review',
        'won',
        'lost',
        'accepted',
        'prevented',
        'something_new'
      ),
      initiatedAt: fc.constantFrom(DAY1, DAY2)
    }),
    { maxLength: 2 }
  ),
  creditRedeemedMinor: fc.nat(2),
  creditRestoredMinor: fc.nat(2),
  attributes: fc.array(
    fc.record({
      name: fc.constantFrom('deliverySchedule', 'mystery_gift', 'other'),
      value: fc.string({ unit: 'grapheme' })
    }),
    { maxLength: 3 }
  ),
  isOrderGiftEnabled: fc.boolean()
})

test('every order has a class: no tag is too long, has a comma or is there twice, and the columns agree with the tags', () => {
  fc.assert(
    fc.property(anyOrder, (order) => {
      const { tags, orderTag, checkoutType, chargeNumber, autochargeStatus } = classifyOrder(order)
      assert.equal(new Set(tags).size, tags.length)
      for (const tag of tags)
        assert.ok([...tag].length <= 40 && !tag.includes(',') && tag.trim() === tag && tag !== '', tag)
      assert.equal(orderTag !== '', order.membership !== null || order.product !== null)
      assert.equal(chargeNumber === null, orderTag === '')
      assert.equal(checkoutType === 'PAYG', orderTag === '' && order.activeTierName === null)
      if (autochargeStatus !== '') assert.match(orderTag, /recharge$/i)
      assert.equal(
        tags.some((tag) => tag.endsWith('-SubsProd') || tag.startsWith('SubsProd-')),
        order.product !== null
      )
      assert.equal(
        tags.some((tag) => /^new-|-trial$|^(VIP|Elite)-Recharge$/.test(tag)),
        order.membership !== null
      )
    })
  )
})
