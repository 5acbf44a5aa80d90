// A store whose tables are filled row by row with literal values, and its pages as HTTP answers them.
import assert from 'node:assert/strict'
import { changeCredits } from '#credits'
import type { Database } from '#kit/postgres'
import { insertRows, NEEDED } from '../src/exports/stored-rows.test-helper.ts'
import type { testServer } from '../src/http/server.test-helper.ts'
import { signedQuery } from '../src/http/storefront/signed.test-helper.ts'
import { aStore } from './store-builder.ts'

type Fields = Record<string, unknown>
type Row = Record<string, string | number | boolean>
type CreditFields = Partial<Parameters<typeof changeCredits>[1][number]> & { at?: string }

/** The store's time while its rows are read. */
const NOW = '2026-06-15T12:00:00Z'
const CREATED = '2026-01-05T12:00:00Z'

let last = 5_000

/** A store in New York with US dollars, unless other fields are given. */
export async function aMeantStore(db: Database, app: ReturnType<typeof testServer>['app'], given: object = {}) {
  const store = await aStore(db, { clockAt: Temporal.Instant.from(NOW), ...given })
  const { storeId, currency } = store
  const key = await store.aKey(['read:data'])

  const insert = (table: string, fields: Fields) => store.inStore((ctx) => insertRows(ctx, table, [fields]))
  /** Adds a row of a table with an id, and returns the id. */
  const adding = (table: string, usual: (id: number) => Fields) => async (fields: Fields) => {
    const id = ++last
    await insert(table, { store_id: storeId, id, ...usual(id), ...fields })
    return id
  }
  const times = { created_at: CREATED, updated_at: CREATED }

  const member = adding('members', (id) => ({
    platform_customer_id: String(id),
    email: 'ann@example.com',
    first_name: 'Ann',
    last_name: 'Ito',
    profile_pending: [],
    status: 'active',
    member_since: CREATED,
    ...times
  }))
  const plan = (name: string, type: 'vip' | 'elite' | 'product') =>
    adding('plans', (id) => ({
      ...NEEDED.plan,
      name,
      type,
      tier_name: type === 'product' ? null : `Tier ${name}`,
      currency,
      product_ids: type === 'product' ? ['1'] : [],
      platform_product_id: type === 'product' ? null : String(id),
      platform_variant_id: type === 'product' ? null : String(id),
      platform_selling_plan_group_id: String(id),
      platform_selling_plan_id: String(id),
      ...times
    }))({})
  const subscription = adding('subscriptions', (id) => ({
    platform_contract_id: String(id),
    ...NEEDED.subscription,
    name: 'Club',
    status: 'active',
    price_minor: 2900,
    currency,
    interval: 'month',
    interval_count: 1,
    anchor_at: CREATED,
    ...times
  }))
  const order = adding('orders', (id) => ({
    platform_order_id: String(id),
    name: `#${id}`,
    number: String(id),
    currency,
    total_minor: 4000,
    tax_minor: 350,
    discount_minor: 0,
    refunded_minor: 0,
    financial_status: 'paid',
    tags: [],
    discount_codes: [],
    processed_at: CREATED,
    platform_updated_at: CREATED,
    ...times
  }))
  const attempt = adding('billing_attempts', (id) => ({
    ...NEEDED.attempt,
    cycle_index: 2,
    attempt_number: 1,
    status: 'success',
    idempotency_key: `key-${id}`,
    currency,
    scheduled_at: CREATED,
    created_at: CREATED
  }))
  const refund = adding('platform_refunds', (id) => ({
    platform_refund_id: String(id),
    amount_minor: 100,
    revision_at: CREATED,
    ...times
  }))
  const dispute = adding('order_disputes', (id) => ({
    platform_dispute_id: String(id),
    began_as: 'chargeback',
    type: 'chargeback',
    status: 'needs_response',
    ...times
  }))
  const activity = adding('contract_activities', () => ({
    actor: 'api',
    text: 'It happened',
    plan_name: 'Club',
    refs: {}
  }))
  const link = (fields: Fields) =>
    insert('order_links', { store_id: storeId, part: 'renewal', order_number: 2, linked_at: CREATED, ...fields })
  const effects = (fields: Fields) =>
    insert('order_effects', {
      store_id: storeId,
      seen_at: CREATED,
      version: 1,
      classified_at: CREATED,
      changed_at: CREATED,
      ...fields
    })
  const firsts = (fields: Fields) => insert('first_orders', { store_id: storeId, changed_at: CREATED, ...fields })

  /** An entry through the ledger's own door, at a time; returns its id. */
  async function credit({ at = CREATED, ...fields }: CreditFields): Promise<number> {
    const operationId = `meant:${++last}`
    const change = { reason: 'A reason', operationId, ...fields } as Parameters<typeof changeCredits>[1][number]
    const [done] = await store.inStore((ctx) => changeCredits({ ...ctx, now: Temporal.Instant.from(at) }, [change]))
    assert.ok(done?.entry, JSON.stringify(done))
    return done.entry.id
  }

  async function page(name: string, parameters: Record<string, string> = {}): Promise<{ data: Row[]; meta: Row }> {
    const url = `/apps/svc-api/v1/data/${name}?${signedQuery(store, { key, ...parameters })}`
    const response = await app.inject({ method: 'GET', url })
    assert.equal(response.statusCode, 200, response.body)
    return response.json()
  }
  /** The rows of an endpoint, or these fields of them. */
  async function rows(name: string, fields?: readonly string[]): Promise<Row[]> {
    const { data } = await page(name)
    if (!fields) return data
    return data.map((row) => Object.fromEntries(fields.map((field) => [field, row[field]!])))
  }
  /** These fields of the only row of an endpoint. */
  async function only(name: string, fields?: readonly string[]): Promise<Row> {
    const [row, ...others] = await rows(name, fields)
    assert.ok(row && others.length === 0, `${others.length + (row ? 1 : 0)} rows of ${name}`)
    return row
  }
  /** A topic of the Collection API: its form is encoded as a browser's is. */
  const dump = (topic: string) =>
    app.inject({
      method: 'POST',
      url: `/apps/svc-api/v1/collection?${signedQuery(store)}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ key, topic }).toString()
    })

  return {
    store,
    member,
    plan,
    subscription,
    order,
    attempt,
    refund,
    dispute,
    activity,
    link,
    effects,
    firsts,
    credit,
    page,
    rows,
    only,
    dump
  }
}

/** The same with one customer, number 77 of the platform. */
export async function aStoreOfOne(...given: Parameters<typeof aMeantStore>) {
  const shop = await aMeantStore(...given)
  return { ...shop, memberId: await shop.member({ platform_customer_id: '77' }) }
}
