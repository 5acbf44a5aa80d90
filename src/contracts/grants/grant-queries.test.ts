import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ctx, int, nullable, row, sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { listGrantsOf } from './grant-queries.ts'
import { issueGrants } from './issue-grants.ts'

const { db } = await testDatabase()

const at = (minute: number) => Temporal.Instant.from('2026-01-01T00:00:00Z').add({ minutes: minute })

/** A shop with the plans of a membership and of a product. */
async function aShop() {
  const { storeId, inStore } = await aStore(db)
  const planOf = await inStore(async ({ tx }) => {
    const plan = (type: 'vip' | 'product') => {
      const [tierName, productId, products] = type === 'vip' ? ['Gold', '6', []] : [null, null, ['5']]
      return tx.one(
        row({ id: int }),
        sql`
        insert into plans (store_id, name, type, tier_name, price_minor, currency, interval, interval_count, product_ids,
          platform_product_id, platform_variant_id, platform_selling_plan_group_id, platform_selling_plan_id, created_at, updated_at)
        values (${storeId}, ${type}, ${type}, ${tierName}, 2900, 'USD', 'month', 1, ${products}::text[],
          ${productId}, ${productId}, ${type}, ${type}, ${at(0)}, ${at(0)})
        returning id`
      )
    }
    return { vip: (await plan('vip')).id, product: (await plan('product')).id, none: null }
  })
  const member = (ctx: Ctx) =>
    ctx.tx.one(
      row({ id: int }),
      sql`
      insert into members (store_id, platform_customer_id, email, created_at, updated_at)
      values (${storeId}, (random() * 1e15)::bigint::text, 'ada@example.com', ${at(0)}, ${at(0)}) returning id`
    )
  return {
    inStore,
    member: async (ctx: Ctx) => (await member(ctx)).id,
    /** A subscription, by its number. */
    async subscription(ctx: Ctx, memberId: number, given: Contract): Promise<number> {
      const { of, since, isPaused = false, isRenewed = true } = { since: 0, ...given }
      const { id } = await ctx.tx.one(
        row({ id: int }),
        sql`
        insert into subscriptions (store_id, member_id, plan_id, platform_contract_id, platform_revision, name, status, price_minor,
          currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, next_billing_at, paused_at, created_at, updated_at)
        values (${storeId}, ${memberId}, ${planOf[of]}::bigint, (random() * 1e15)::bigint::text, '1', 'Plan', ${isPaused ? 'paused' : 'active'},
          2900, 'USD', 'month', 1, ${at(0)}, 1, 1, 2, ${isRenewed && !isPaused ? at(9999) : null}, ${isPaused ? at(0) : null},
          ${at(since)}, ${at(since)})
        returning id`
      )
      return id
    }
  }
}

type Contract = { of: 'vip' | 'product' | 'none'; since?: number; isPaused?: boolean; isRenewed?: boolean }

/** Gives a customer one piece of product 7 with each renewal; returns the grant, and the contract that was chosen. */
async function give(ctx: Ctx, memberId: number): Promise<{ id: number; subscriptionId: number | null }> {
  const terms = { kind: 'free_product', productId: '7', cycles: 9 } as const
  await issueGrants(ctx, [
    { memberId, subscriptionId: null, label: 'Thanks', terms, isTransferable: true, operationId: `to:${memberId}` }
  ])
  return ctx.tx.one(
    row({ id: int, subscriptionId: nullable(int) }),
    sql`select id, subscription_id from contract_grants where store_id = ${ctx.storeId} and member_id = ${memberId}`
  )
}

test('a reward is given on the oldest active product subscription that will be renewed, else on the oldest membership', async () => {
  const shop = await aShop()
  const cases: [what: string, contracts: Contract[], chosen: number | null][] = [
    ['a membership that is older', [{ of: 'vip' }, { of: 'product', since: 1 }], 1],
    [
      'the older product',
      [
        { of: 'product', since: 2 },
        { of: 'product', since: 1 }
      ],
      1
    ],
    ['a contract without a plan is one of products', [{ of: 'vip' }, { of: 'none', since: 1 }], 1],
    [
      'the older membership',
      [
        { of: 'vip', since: 2 },
        { of: 'vip', since: 1 }
      ],
      1
    ],
    [
      'a product that is paused',
      [
        { of: 'product', isPaused: true },
        { of: 'vip', since: 1 }
      ],
      1
    ],
    [
      'a product whose cycles are all paid',
      [
        { of: 'product', isRenewed: false },
        { of: 'vip', since: 1 }
      ],
      1
    ],
    [
      'nothing that will be renewed',
      [
        { of: 'product', isPaused: true },
        { of: 'vip', isRenewed: false }
      ],
      null
    ]
  ]
  for (const [what, contracts, chosen] of cases) {
    await shop.inStore(async (ctx) => {
      const [memberId, other] = [await shop.member(ctx), await shop.member(ctx)]
      await shop.subscription(ctx, other, { of: 'product' })
      const ids: number[] = []
      for (const contract of contracts) ids.push(await shop.subscription(ctx, memberId, contract))
      const { subscriptionId } = await give(ctx, memberId)
      assert.equal(subscriptionId, chosen === null ? null : ids[chosen], what)
    })
  }
})

type Renewal = {
  status?: 'success' | 'failed'
  submitted?: number
  completed?: number
  /** Of its order: product, price, and whether it is of this contract; null where the order is not known. */
  lines: [productId: string, priceMinor: number, of: 'this' | 'other' | null][] | null
}

/** A charge of the contract, and its order. */
async function renew(ctx: Ctx, memberId: number, subscriptionId: number, cycle: number, renewal: Renewal) {
  const { status = 'success', submitted = 20, completed = 21, lines } = renewal
  const { storeId } = ctx
  const { contractId } = await ctx.tx.one(
    row({ contractId: String }),
    sql`select platform_contract_id as contract_id from subscriptions where store_id = ${storeId} and id = ${subscriptionId}`
  )
  const stored = lines?.map(([productId, priceMinor, of]) => ({
    productId,
    priceMinor,
    ...(of && { contractId: of === 'this' ? contractId : '1' })
  }))
  const order =
    stored &&
    (await ctx.tx.one(
      row({ id: int }),
      sql`
      insert into orders (store_id, platform_order_id, member_id, name, number, currency, total_minor, tax_minor, discount_minor,
        financial_status, tags, discount_codes, lines, processed_at, platform_updated_at, created_at, updated_at)
      values (${storeId}, (random() * 1e15)::bigint::text, ${memberId}, '#1', '1', 'USD', 2900, 0, 0, 'paid', '{}', '{}',
        ${JSON.stringify(stored)}::jsonb, ${at(21)}, ${at(21)}, ${at(21)}, ${at(21)})
      returning id`
    ))
  await ctx.tx.run(sql`
    insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key, amount_minor, currency,
      scheduled_at, error_code, order_id, submitted_at, created_at, completed_at)
    values (${storeId}, ${subscriptionId}, ${cycle}, 1, ${status}, gen_random_uuid()::text, 2900, 'USD', ${at(0)},
      ${status === 'failed' ? 'card_declined' : null}, ${order?.id ?? null}, ${at(submitted)}, ${at(0)}, ${at(completed)})`)
}

test('a renewal had a free product where its order has it for nothing, or was charged for while the contract had it', async () => {
  const shop = await aShop()
  const cases: [what: string, renewal: Renewal, times: number][] = [
    ['its line', { lines: [['7', 0, 'this']] }, 1],
    ['its line, of which the contract is not said', { lines: [['7', 0, null]] }, 1],
    [
      'besides what is paid',
      {
        lines: [
          ['6', 2900, 'this'],
          ['7', 0, 'this']
        ]
      },
      1
    ],
    ['that of another contract', { lines: [['7', 0, 'other']] }, 0],
    ['the same product, paid', { lines: [['7', 1500, 'this']] }, 0],
    ['another product', { lines: [['6', 0, 'this']] }, 0],
    ['before the contract had it', { lines: [['7', 0, 'this']], submitted: 8, completed: 9 }, 0],
    ['an order that is not known yet', { lines: null }, 1],
    ['one that is not known, charged for before', { lines: null, submitted: 9 }, 0],
    ['a charge that failed', { lines: null, status: 'failed' }, 0]
  ]
  for (const [what, renewal, times] of cases) {
    await shop.inStore(async (ctx) => {
      const memberId = await shop.member(ctx)
      const subscriptionId = await shop.subscription(ctx, memberId, { of: 'product' })
      await give(ctx, memberId)
      await ctx.tx.run(sql`
        update contract_grants set status = 'active', is_on = true, applied_at = ${at(10)}
         where store_id = ${ctx.storeId} and member_id = ${memberId}`)
      await renew(ctx, memberId, subscriptionId, 2, renewal)
      const [grant] = await listGrantsOf(ctx, [subscriptionId])
      assert.equal(grant!.orderedTimes, times, what)
      // One that is charged again counts for each.
      await renew(ctx, memberId, subscriptionId, 3, renewal)
      const [again] = await listGrantsOf(ctx, [subscriptionId])
      assert.equal(again!.orderedTimes, 2 * times, what)
    })
  }
})
