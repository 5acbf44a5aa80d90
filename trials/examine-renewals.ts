// What must be true after a renewal run that was disturbed.
import assert from 'node:assert/strict'
import pg from 'pg'
import { row, sql, text } from '#kit/postgres'
import type { startPlatform } from './platform.ts'

type Platform = Awaited<ReturnType<typeof startPlatform>>

/**
 * What the platform itself has: one attempt per contract, so that no outcome was ever given another key, and one order for it,
 * except where the result never came. Returns those contracts.
 */
export async function examineCharges(platform: Platform, shop: number, subscriptions: number) {
  const attempts = await platform.db.inInstallation((tx) =>
    tx.many(
      row({ id: text, contractId: text, key: text, outcome: text, status: text }),
      sql`
      select id::text as id, contract_id::text as contract_id, coalesce(shown_key, idempotency_key) as key, outcome, status
        from sandbox.billing_attempts where store_id = ${shop}`
    )
  )
  for (const [name, of] of [
    ['contract', Map.groupBy(attempts, ({ contractId }) => contractId)],
    ['key', Map.groupBy(attempts, ({ key }) => key)]
  ] as const) {
    for (const [what, made] of of) assert.equal(made.length, 1, `${name} ${what}: ${JSON.stringify(made)}`)
  }
  assert.equal(attempts.length, subscriptions, 'attempts on the platform')
  const charges = await platform.controls.charges(shop)
  const periods = Map.groupBy(charges, ({ contractId, periodAt }) => `${contractId} ${periodAt}`)
  for (const [period, paid] of periods) assert.equal(paid.length, 1, `charged again: ${period}`)
  const unpaid = new Set(attempts.filter(({ outcome }) => outcome === 'never').map(({ contractId }) => contractId))
  assert.equal(charges.length, subscriptions - unpaid.size, 'charges on the platform')
  for (const { contractId } of charges) assert.ok(!unpaid.has(contractId))
  const counts = Map.groupBy(attempts, ({ outcome }) => outcome)
  return { outcomes: Object.fromEntries([...counts].map(([outcome, { length }]) => [outcome, length])), unpaid }
}

/** What the service has: each paid renewal recorded once, and each event of the store delivered. Throws otherwise. */
export async function examineRenewals({
  databaseUrl,
  storeId,
  subscriptions,
  posts,
  charges: { outcomes, unpaid }
}: {
  databaseUrl: string
  storeId: number
  subscriptions: number
  /** How often each webhook_id arrived. */
  posts: Map<string, number>
  charges: Awaited<ReturnType<typeof examineCharges>>
}) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const billed = await client.query(
      `select s.id, s.platform_contract_id as contract, count(a.id) filter (where a.status = 'success')::int as charged,
              count(a.id) filter (where a.status = 'pending')::int as open,
              count(a.id) filter (where a.status = 'failed' and a.error_code <> 'superseded')::int as declined
         from subscriptions s left join billing_attempts a on a.store_id = s.store_id and a.subscription_id = s.id
        where s.store_id = $1
        group by s.id, s.platform_contract_id`,
      [storeId]
    )
    assert.equal(billed.rows.length, subscriptions)
    for (const { id, contract, ...attempts } of billed.rows) {
      const isUnpaid = unpaid.has(contract)
      const expected = { charged: isUnpaid ? 0 : 1, open: isUnpaid ? 1 : 0, declined: 0 }
      assert.deepEqual(attempts, expected, `subscription ${id}`)
    }
    const taken = await client.query(
      'select count(*)::int as back from billing_attempts where store_id = $1 and reversed_at is not null',
      [storeId]
    )
    assert.equal(taken.rows[0].back, outcomes.reversed ?? 0, 'results that were taken back')
    const deliveries = await client.query(
      `select d.webhook_id, count(t.try_number)::int as tries, count(t.try_number) filter (where t.failure is null)::int as successes
         from webhook_deliveries d left join webhook_tries t on t.store_id = d.store_id and t.day = d.day and t.delivery_id = d.id
        where d.store_id = $1
        group by 1`,
      [storeId]
    )
    const events = await client.query(
      `select count(*)::int as count, count(*) filter (where name = 'billing.success')::int as successes,
              count(*) filter (where name in ('member.created', 'subscription.created', 'subscription.activated'))::int as begun
         from facts where store_id = $1 and name !~ '^(order|customer)[.]'`,
      [storeId]
    )
    assert.equal(deliveries.rows.length, events.rows[0].count)
    assert.equal(events.rows[0].begun, subscriptions * 3)
    assert.equal(events.rows[0].successes, subscriptions - unpaid.size)
    for (const { webhook_id, successes, tries } of deliveries.rows) {
      assert.equal(successes, 1, successes === 1 ? '' : await historyOf(client, webhook_id))
      assert.ok(tries <= 6)
      assert.ok(posts.has(webhook_id), `${webhook_id} never arrived`)
    }
    const total = [...posts.values()].reduce((sum, n) => sum + n, 0)
    return {
      charged: billed.rows.length - unpaid.size,
      events: events.rows[0].count as number,
      posts: total,
      repeated: total - posts.size
    }
  } finally {
    await client.end()
  }
}

/** All rows about a delivery, for the message of a failed trial. */
async function historyOf(client: pg.Client, webhookId: string): Promise<string> {
  const { rows } = await client.query(
    `select to_jsonb(d) - 'body' as delivery, to_jsonb(q) as queued,
            (select jsonb_agg(to_jsonb(t) order by t.try_number) from webhook_tries t
              where t.store_id = d.store_id and t.day = d.day and t.delivery_id = d.id) as tries
       from webhook_deliveries d left join webhook_queue q on q.store_id = d.store_id and q.delivery_id = d.id
      where d.webhook_id = $1`,
    [webhookId]
  )
  return JSON.stringify(rows, null, 2)
}
