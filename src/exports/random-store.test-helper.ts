// A store with random rows in every table that the Data API reads: what could be there, also where it seldom is.
import { changeCredits, reserveCredit } from '#credits'
import type { Ctx } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import type { BuiltStore } from '../../test/store-builder.ts'
import { newCreditCode } from '../spending/codes/code-form.ts'
import { insertRows, NEEDED } from './stored-rows.test-helper.ts'

/** The number of each kind of rows of a random store. */
export type Sizes = { customers: number; orders: number; subscriptions: number; entries: number }

export type RandomStore = { storeId: number; begin: Temporal.Instant; end: Temporal.Instant }

/** Ids of all stores of a test, so that none is used twice. */
let lastId = 1000
const nextId = () => ++lastId

export async function fillStore(store: BuiltStore, seed: number, sizes: Sizes): Promise<RandomStore> {
  const random = randomFrom(seed)
  const { storeId } = store
  const begin = Temporal.Instant.from('2026-01-05T00:00:00Z')
  const minutes = 300 * 24 * 60
  const end = begin.add({ minutes })
  const whole = (below: number) => Math.floor(random() * below)
  const one = <T>(values: readonly T[]): T => values[whole(values.length)]!
  const chance = (part: number) => random() < part
  const at = (from = 0) => begin.add({ seconds: from * 60 + whole((minutes - from) * 60) }).toString()
  const base = { store_id: storeId }
  const platformId = () => String(7_000_000_000 + nextId())

  const members = Array.from({ length: sizes.customers }, () => {
    const isMember = chance(0.6)
    return {
      ...base,
      id: nextId(),
      platform_customer_id: platformId(),
      email: chance(0.1) ? null : `person-${whole(1e6)}@example.com`,
      first_name: chance(0.2) ? null : one(['Ann', 'Zoë "Z"', 'Ed\tTab', '']),
      last_name: chance(0.2) ? null : one(['Ito', 'O\\Brien', 'Line\nTwo', '']),
      profile_pending: [],
      status: isMember ? one(['active', 'paused', 'cancelled']) : null,
      member_since: isMember ? at() : null,
      merged_into: null as number | null,
      created_at: at(),
      updated_at: at()
    }
  })
  for (const member of members.slice(2)) if (chance(0.06)) member.merged_into = members[0]!.id

  const plan = (name: string, type: string, fields: object) => ({
    ...base,
    id: nextId(),
    name,
    type,
    ...NEEDED.plan,
    tier_name: null as string | null,
    currency: store.currency,
    product_ids: [],
    platform_product_id: null,
    platform_variant_id: null,
    platform_selling_plan_group_id: platformId(),
    platform_selling_plan_id: platformId(),
    created_at: at(),
    updated_at: at(),
    ...fields
  })
  const membership = (name: string, type: string) =>
    plan(name, type, {
      tier_name: `Tier ${name}`,
      platform_product_id: platformId(),
      platform_variant_id: platformId()
    })
  const plans = [
    membership('Club', 'vip'),
    membership('Gold', 'elite'),
    plan('Coffee', 'product', { product_ids: ['1'] })
  ]

  const subscriptions = Array.from({ length: sizes.subscriptions }, () => {
    const status = one(['active', 'active', 'paused', 'cancelled', 'failed', 'expired'])
    const payer = one(members)
    const receiver = chance(0.15) ? one(members) : null
    const isOver = !['active', 'paused'].includes(status)
    const createdMinute = whole(minutes / 2)
    const createdAt = begin.add({ minutes: createdMinute })
    const held = chance(0.15) ? null : one(plans)
    const isGift = receiver !== null && receiver.id !== payer.id
    return {
      ...base,
      id: nextId(),
      member_id: payer.id,
      receiver_member_id: isGift ? receiver.id : null,
      gifted_at: isGift ? createdAt.toString() : null,
      plan_id: held?.id ?? null,
      platform_contract_id: platformId(),
      ...NEEDED.subscription,
      name: held?.name ?? 'Somebody else’s',
      status,
      price_minor: whole(9000),
      currency: chance(0.1) ? 'KWD' : store.currency,
      interval: one(['day', 'week', 'month', 'month', 'year']),
      interval_count: 1 + whole(3),
      anchor_at: createdAt.toString(),
      next_billing_at: status === 'active' ? at(createdMinute) : null,
      paused_at: status === 'paused' ? at(createdMinute) : null,
      resumes_at: status === 'paused' && chance(0.6) ? at(createdMinute) : null,
      cancelled_at: isOver ? at(createdMinute) : null,
      cancel_reason: isOver ? one(['other', 'too_expensive', 'payment_failed']) : null,
      cancel_comment: isOver && chance(0.5) ? one(['moved "away"', '']) : null,
      created_at: createdAt.toString(),
      updated_at: at()
    }
  })

  const orders = Array.from({ length: sizes.orders }, () => {
    const hasDetails = chance(0.8)
    return {
      ...base,
      id: nextId(),
      platform_order_id: platformId(),
      member_id: chance(0.1) ? null : one(members).id,
      name: `#${whole(99999)}`,
      number: '1',
      email: chance(0.3) ? null : `order-${whole(1e6)}@example.com`,
      currency: one([store.currency, store.currency, store.currency, 'JPY', 'KWD', 'USD']),
      total_minor: whole(100_000),
      tax_minor: whole(9000),
      discount_minor: whole(500),
      refunded_minor: 0,
      financial_status: one(['paid', 'refunded', 'voided', 'partially_refunded']),
      gateway: chance(0.2) ? null : one(['bogus', 'shopify_store_credit']),
      country_code: chance(0.3) ? null : one(['US', 'DE']),
      province: chance(0.4) ? null : one(['Hesse', 'New York']),
      tags: [],
      discount_codes: chance(0.3) ? ['PLAIN', 'TWO'] : [],
      source_name: chance(0.2) ? null : 'web',
      processed_at: at(),
      platform_updated_at: at(),
      created_at: at(),
      updated_at: at(),
      customer_name: hasDetails && chance(0.7) ? 'On The Order' : null,
      channel: hasDetails && chance(0.5) ? 'Point of Sale' : null,
      brand: hasDetails && chance(0.5) ? 'House' : null,
      coupons: hasDetails
        ? one([
            [],
            [],
            [{ code: 'SAVE', amountMinor: 150 }],
            [
              { code: 'A', amountMinor: 1 },
              { code: newCreditCode(), amountMinor: 900 },
              { code: 'B', amountMinor: 20 }
            ]
          ])
        : null
    }
  })

  const attempts = subscriptions.flatMap((subscription) =>
    Array.from({ length: whole(4) }, (_, i) => i + 1).flatMap((cycle) => {
      const failures = whole(3)
      const statuses = [
        ...Array.from({ length: failures }, () => 'failed'),
        one(['success', 'success', 'pending', 'failed'])
      ]
      return statuses.map((status, i) => {
        const code = status === 'failed' ? one(['card_declined', 'expired_card', 'voided', 'superseded']) : null
        const id = nextId()
        return {
          ...base,
          id,
          subscription_id: subscription.id,
          plan_id: subscription.plan_id,
          cycle_index: cycle,
          attempt_number: i + 1,
          status,
          ...NEEDED.attempt,
          idempotency_key: `key-${id}`,
          currency: store.currency,
          scheduled_at: at(),
          check_at: status === 'pending' ? at() : null,
          error_code: code,
          error_message: code && chance(0.8) ? one(['Declined\nby the bank', 'Too old']) : null,
          late_success_at: code && chance(0.1) ? at() : null,
          created_at: at(),
          completed_at: status === 'pending' ? null : at()
        }
      })
    })
  )

  const linked = orders.filter(() => attempts.length > 0 && chance(0.4))
  const links = linked.map((order, i) => {
    const attempt = attempts[(i * 7) % attempts.length]!
    return {
      ...base,
      order_id: order.id,
      subscription_id: attempt.subscription_id,
      attempt_id: chance(0.8) ? attempt.id : null,
      part: 'renewal',
      order_number: 2,
      linked_at: at()
    }
  })
  const effects = orders.flatMap((order) => {
    if (chance(0.2)) return []
    const isClassified = chance(0.9)
    return [
      {
        ...base,
        order_id: order.id,
        seen_at: at(),
        version: 1,
        classified_at: isClassified ? at() : null,
        checkout_type: isClassified ? one(['VIP', 'Product Subscription', 'PAYG']) : null,
        order_tag: isClassified ? one(['New-vip', 'recharge', '']) : null,
        autocharge_status: isClassified ? one(['', 'Dispute', 'refunded']) : null,
        changed_at: at()
      }
    ]
  })
  const firsts = members.flatMap((member) =>
    chance(0.3)
      ? []
      : [
          {
            ...base,
            member_id: member.id,
            first_at: at(),
            membership_at: chance(0.5) ? at() : null,
            membership_renewal_at: chance(0.5) ? at() : null,
            product_at: chance(0.5) ? at() : null,
            product_renewal_at: chance(0.5) ? at() : null,
            checkout_type: chance(0.2) ? null : 'VIP',
            changed_at: at()
          }
        ]
  )
  const refunds = orders.flatMap((order) =>
    Array.from({ length: chance(0.3) ? 1 + whole(2) : 0 }, () => ({
      ...base,
      id: nextId(),
      platform_refund_id: platformId(),
      order_id: order.id,
      amount_minor: 100,
      refunded_at: at(),
      revision_at: at(),
      created_at: at(),
      updated_at: at()
    }))
  )
  const disputes = orders.flatMap((order) =>
    Array.from({ length: chance(0.3) ? 1 + whole(2) : 0 }, () => ({
      ...base,
      id: nextId(),
      platform_dispute_id: platformId(),
      order_id: order.id,
      began_as: 'inquiry',
      type: one(['inquiry', 'chargeback']),
      status: one(['needs_response', 'won', 'lost']),
      reason: chance(0.2) ? null : 'fraudulent',
      initiated_at: at(),
      reported_at: at(),
      created_at: at(),
      updated_at: at()
    }))
  )
  const activities = subscriptions.flatMap((subscription) =>
    Array.from({ length: whole(6) }, () => {
      const kind = one([
        'created',
        'paused',
        'resumed',
        'cancelled',
        'failed',
        'expired',
        'reactivated',
        'note',
        'charge_failed'
      ])
      const reason = one(['other', 'too_expensive'])
      const held = plans.find(({ id }) => id === subscription.plan_id)
      return {
        ...base,
        id: nextId(),
        subscription_id: subscription.id,
        member_id: subscription.member_id,
        kind,
        actor: 'api',
        text: `It was ${kind}`,
        notes: chance(0.5) ? 'said so' : null,
        plan_group_name: held?.tier_name ?? null,
        plan_name: subscription.name,
        refs: kind === 'created' ? { status: 'active' } : { reason },
        occurred_at: at()
      }
    })
  )

  await store.inStore(async (ctx) => {
    await insertRows(
      ctx,
      'members',
      members.filter(({ merged_into: into }) => into === null)
    )
    await insertRows(
      ctx,
      'members',
      members.filter(({ merged_into: into }) => into !== null)
    )
    await insertRows(ctx, 'plans', plans)
    await insertRows(ctx, 'subscriptions', subscriptions)
    await insertRows(ctx, 'orders', orders)
    await insertRows(ctx, 'billing_attempts', attempts)
    await insertRows(ctx, 'order_links', links)
    await insertRows(ctx, 'order_effects', effects)
    await insertRows(ctx, 'first_orders', firsts)
    await insertRows(ctx, 'platform_refunds', refunds)
    await insertRows(ctx, 'order_disputes', disputes)
    await insertRows(ctx, 'contract_activities', activities)
  })
  await fillLedger(
    store,
    random,
    { ids: members.map(({ id }) => id), orders: orders.map(({ id }) => id), begin, minutes },
    sizes
  )
  return { storeId, begin, end }
}

type Ledger = { ids: number[]; orders: number[]; begin: Temporal.Instant; minutes: number }

/** Entries of every type through the ledger's own door, one after the other in time. */
async function fillLedger(
  store: BuiltStore,
  random: () => number,
  { ids, orders, begin, minutes }: Ledger,
  { entries }: Sizes
): Promise<void> {
  const whole = (below: number) => Math.floor(random() * below)
  await store.inStore(async (given) => {
    for (let i = 0; i < entries; i++) {
      const ctx: Ctx = { ...given, now: begin.add({ minutes: Math.floor((i * minutes) / entries) }) }
      const memberId = ids[whole(Math.min(ids.length, 30))]!
      const orderId = random() < 0.7 ? orders[whole(orders.length)]! : null
      const common = {
        memberId,
        reason: random() < 0.2 ? 'in two\nlines' : 'a reason',
        operationId: `random:${i}`,
        orderId
      }
      const adds = ['membership_charge', 'manual_add', 'churn_offer', 'loyalty_reward', 'import', 'reconciled'] as const
      const deducts = ['manual_deduct', 'refund', 'forfeit', 'expired', 'dispute', 'reconciled'] as const
      const mark = random() < 0.3 ? ('drift' as const) : null
      if (random() < 0.45) {
        const type = adds[whole(adds.length)]!
        // Some of it is past its date at the end, and nobody has expired it yet.
        const expiresAt = random() < 0.3 ? begin.add({ minutes: minutes - 60 + whole(10_000) }) : null
        await changeCredits(ctx, [
          { ...common, type, amountMinor: 1000 + whole(4000), expiresAt, mark: type === 'reconciled' ? mark : null }
        ])
      } else if (random() < 0.6) {
        const type = deducts[whole(deducts.length)]!
        const change = { ...common, type, amountMinor: -1 - whole(2000), isCapped: true }
        await changeCredits(ctx, [{ ...change, mark: type === 'reconciled' ? mark : null }])
      } else await redeemAndRestore(ctx, common, random)
    }
    // Held for a checkout at the end, some of them past their time.
    const ctx: Ctx = { ...given, now: begin.add({ minutes: minutes - 120 }) }
    for (const [i, memberId] of ids.slice(0, 30).entries()) {
      const expiresAt = begin.add({ minutes: minutes + (i % 2 === 0 ? 30 : -30) })
      const common = { memberId, reason: 'checkout', expiresAt }
      await reserveCredit(ctx, [{ ...common, amountMinor: 1 + whole(300), operationId: `reserved:${i}` }])
    }
  })
}

/** A redemption; of some, a part or all of it is restored, because the order was cancelled or for another reason. */
async function redeemAndRestore(
  ctx: Ctx,
  common: { memberId: number; reason: string; operationId: string; orderId: number | null },
  random: () => number
): Promise<void> {
  const [redeemed] = await changeCredits(ctx, [
    { ...common, type: 'redemption', amountMinor: -1 - Math.floor(random() * 800), isCapped: true }
  ])
  const spent = -(redeemed?.entry?.amountMinor ?? 0)
  if (spent < 2 || random() < 0.5) return
  const isWhole = random() < 0.6
  const parts = isWhole ? [Math.floor(spent / 2), spent - Math.floor(spent / 2)] : [1]
  const mark = random() < 0.7 ? ('order_cancelled' as const) : null
  for (const [n, amountMinor] of parts.entries()) {
    const operationId = `${common.operationId}:restored:${n}`
    await changeCredits(ctx, [
      { ...common, type: 'redemption_restored', amountMinor, operationId, reversesId: redeemed!.entry!.id, mark }
    ])
  }
}
