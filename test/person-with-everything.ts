// A person of whom every table with data about people has something: by what really happened, and where that leaves nothing by planted words.
import assert from 'node:assert/strict'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { createTier } from '#loyalty'
import { storeByDomain } from '#stores'
import { signedQuery } from '../src/http/storefront/signed.test-helper.ts'
import { csv } from './import-builder.ts'
import { aReceiver } from './receiver.ts'
import { OPERATOR_TOKEN, type startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'
import type { Wanted } from './traces.ts'

type Service = Awaited<ReturnType<typeof startService>>

export const EMAIL = 'wilhelmina.quastenbreit@example.com'
const FORMER_EMAIL = 'w.quastenbreit@former.example'
export const PHONE = '+15556251199'
const PLANTED = `${EMAIL} Wilhelmina Quastenbreit, 555-625-1199`

/** A store in which she and somebody else have been customers for three months. */
export async function aPersonWithEverything(service: Service) {
  const store = await service.aStore()
  const { at, storeId, key } = store
  const admin = (method: string, path: string, body?: unknown) => service.admin(method, `${at}${path}`, body)
  const settle = () => service.deps.settle(storeId)
  const inStore = <T>(work: (ctx: Ctx) => Promise<T>) => service.db.inStore(storeId, work)
  const rest = async (method: 'post' | 'patch', path: string, body: unknown, headers?: Record<string, string>) => {
    const response = await service[method](path, key, body, headers as never)
    assert.ok(response.status < 300, `${path}: ${JSON.stringify(response.body)}`)
    return response.body.data
  }

  const receiver = await aReceiver()
  receiver.secret = (await admin('POST', '/webhooks', { url: receiver.url })).secret
  // Nobody answers there: its deliveries wait.
  await admin('POST', '/webhooks', { url: 'http://127.0.0.1:9/hooks' })
  await admin('POST', '/reward-integrations', { key: 'smile' })
  await admin('POST', '/plans', {
    name: 'Credit Club',
    type: 'vip',
    price: '19.00',
    interval: 'month',
    perks: { store_credit: { amount: '5.00', type: 'coupon' } }
  })

  const person = { first_name: 'Wilhelmina', last_name: 'Quastenbreit', country: 'US', province: 'NY' }
  const { id: customer } = await admin('POST', '/sandbox/customers', { email: FORMER_EMAIL, ...person })
  await service.sandboxDb.inInstallation((tx) =>
    tx.run(sql`update sandbox.customers set phone = ${PHONE} where store_id = ${storeId} and id = ${customer}`)
  )
  // Somebody who turns out to be her.
  const twin = await store.member('quastenbreit.twin@example.com')
  await settle()
  await admin('POST', '/sandbox/merges', { customer: twin.customer.id, into: customer })
  await settle()
  const joined = await admin('POST', '/sandbox/joins', { customer, plan: 'Credit Club' })
  // A gift of a tier that she has herself would be refused.
  await admin('POST', '/plans', { name: 'Elite', type: 'elite', price: '99.00', interval: 'month' })
  const other = await store.member('ordinary.other@example.com', 'Elite')
  await settle()
  const member = async (platformId: string) =>
    (
      await inStore(({ tx }) =>
        tx.one(
          row({ id: int }),
          sql`select id from members where store_id = ${storeId} and platform_customer_id = ${platformId}`
        )
      )
    ).id
  const memberId = await member(customer)
  // She changes her address: what was written before has the former one.
  await rest('patch', `/members/mem_${memberId}`, { email: EMAIL, birth_date: '1990-01-31', loyalty_points: 40 })
  await settle()
  const idempotent = { 'idempotency-key': `for:${EMAIL}` }
  await rest('post', `/store-credits/${customer}/add`, { amount: 25, reason: 'Sorry, Wilhelmina' }, idempotent)
  await rest(
    'post',
    `/store-credits/${customer}/deduct`,
    { amount: 2, reason: `Agreed with ${EMAIL}` },
    { 'idempotency-key': 'two' }
  )
  await rest('patch', `/members/mem_${memberId}`, { last_name: 'Quastenbreit-Ito' })
  await rest('post', `/store-credits/${customer}/codes`, { amount: 3 })
  await admin('POST', '/reward-integrations/smile/balances', { balances: [{ customer, points: 12 }] })
  await settle()
  const subscription = (
    await inStore(({ tx }) =>
      tx.one(
        row({ id: int }),
        sql`select id from subscriptions where store_id = ${storeId} and platform_contract_id = ${joined.contract_id}`
      )
    )
  ).id
  await admin('POST', `/subscriptions/sub_${subscription}/notes`, { note: 'Ms Quastenbreit called about her parcel' })
  await admin('POST', '/sandbox/orders', {
    customer,
    total: '80.00',
    attributes: [{ name: 'gift message', value: 'For Wilhelmina' }]
  })
  // A second contract, which she has cancelled with some words, and one that fails and is tried again.
  const second = await admin('POST', '/sandbox/joins', { customer, plan: 'VIP' })
  await settle()
  const ofContract = async (contractId: string) =>
    (
      await inStore(({ tx }) =>
        tx.one(
          row({ id: int }),
          sql`select id from subscriptions where store_id = ${storeId} and platform_contract_id = ${contractId}`
        )
      )
    ).id
  await rest('post', `/subscriptions/sub_${await ofContract(second.contract_id)}/cancel`, {
    reason: 'too_expensive',
    comment: 'Yours, Wilhelmina Quastenbreit'
  })
  // Somebody else's membership, given to her.
  await rest('post', `/subscriptions/sub_${await ofContract(other.contract_id)}/gift`, { receiver: customer })
  await store.advance({ by: 'P1M1D' })
  await store.card(customer, 'insufficient_funds')
  await store.advance({ by: 'P1M1D' })

  // A file with a row that is refused, which names her.
  const { id: importId } = await admin('POST', '/imports', { source: 'csv', mode: 'live' })
  const file = csv(['email', 'plan', 'next_billing_date'], [[EMAIL, 'No such plan', '2026-09-01']])
  const sent = await fetch(`${service.urls.public}/admin/api${at}/imports/${importId}/rows`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'text/csv' },
    body: file
  })
  assert.equal(sent.status, 200, await sent.text())
  // The messages about it are younger than the 30 days for which they are kept.
  await store.card(customer, 'success')
  await admin('POST', '/sandbox/orders', { customer, total: '30.00', country: 'US', province: 'NY' })
  await settle()
  await plant(service, storeId, customer, subscription, memberId)

  const access = (await storeByDomain(service.db, testVault, store.domain))!
  const page = async (name: string, parameters: Record<string, string> = {}): Promise<string> => {
    const query = signedQuery({ domain: store.domain, credentials: { proxySecret: access.proxySecret } } as never, {
      key,
      ...parameters
    })
    const response = await fetch(`${service.urls.public}/apps/svc-api/v1/data/${name}?${query}`)
    assert.equal(response.status, 200)
    return response.text()
  }
  const wanted: Wanted = {
    words: [EMAIL, FORMER_EMAIL, 'Wilhelmina', 'Quastenbreit', '1990-01-31'],
    phone: '5556251199',
    numbers: [customer, twin.customer.id]
  }
  return {
    store,
    storeId,
    at,
    key,
    admin,
    settle,
    inStore,
    customer,
    twin: twin.customer.id,
    memberId,
    subscription,
    receiver,
    wanted,
    page,
    rest
  }
}

/** Words about her where only a failure would leave some. */
async function plant(
  { db }: Service,
  storeId: number,
  customer: string,
  subscription: number,
  memberId: number
): Promise<void> {
  const said = `The platform answered: ${PLANTED} (customer ${customer})`
  await db.inStore(storeId, async (ctx) => {
    const { tx, now } = ctx
    await tx.run(sql`
      insert into alerts (store_id, kind, subject, message, created_at) values (${storeId}, 'test', ${EMAIL}, ${said}, ${now})`)
    await tx.run(sql`
      insert into order_discrepancies (store_id, platform_order_id, kind, subject, message, found_at)
      values (${storeId}, '1', 'test', ${EMAIL}, ${said}, ${now})`)
    await tx.run(sql`
      insert into fact_retries (store_id, consumer, fact_id, name, position, ordering_key, attempts, last_error, dead_at)
      select ${storeId}, 'tags', f.id, f.name, f.position, f.ordering_key, 6, ${said}, ${now} from facts f
       where f.store_id = ${storeId} and f.ordering_key = ${`member:${memberId}`} and f.position is not null limit 1`)
    await tx.run(sql`
      insert into jobs (store_id, kind, dedupe_key, payload, priority, run_at, last_error)
      values (${storeId}, 'push-contract', 'planted', '{"subscription_id": 1}', 1, '2099-01-01', ${said})`)
    await tx.run(sql`
      insert into quarantined_contracts (store_id, contract_id, reason, since) values (${storeId}, '1', ${said}, ${now})`)
    await tx.run(sql`
      insert into subscription_creations (store_id, create_key, idempotency_key, fingerprint, platform_customer_id, actor,
        actor_id, requested_at, answered_at, created_at)
      values (${storeId}, 'planted', ${EMAIL}, '\\x00', ${customer}, 'customer', ${customer}, ${now}, ${now}, ${now})`)
    await tx.run(sql`
      insert into subscription_changes (store_id, subscription_id, price_minor, actor, actor_id, requested_at, version)
      values (${storeId}, ${subscription}, 100, 'customer', ${customer}, ${now}, 1)
      on conflict (store_id, subscription_id) do update set actor = 'customer', actor_id = ${customer}`)
    await tx.run(sql`update imports set last_error = ${said} where store_id = ${storeId}`)
    await tx.run(sql`
      update billing_attempts set error_message = ${said}, action_url = ${`https://pay.example/?email=${encodeURIComponent(EMAIL)}`}
       where store_id = ${storeId} and subscription_id = ${subscription}`)
    await tx.run(sql`
      update spending_accounts set last_error = ${said}, problem = ${said} where store_id = ${storeId} and member_id = ${memberId}`)
    await tx.run(
      sql`update credit_codes set last_error = ${said} where store_id = ${storeId} and member_id = ${memberId}`
    )
    await tx.run(sql`
      update webhook_tries set response_text = ${said} where store_id = ${storeId} and delivery_id = (
        select min(delivery_id) from webhook_tries where store_id = ${storeId})`)
    await tx.run(sql`
      update orders set discount_codes = '{WILHELMINA10,SPRING}', coupons = '[{"code": "WILHELMINA10", "amountMinor": 100}]'
       where store_id = ${storeId} and id = (select max(id) from orders where store_id = ${storeId} and member_id = ${memberId})`)
    await tx.run(sql`
      update metafield_owners set last_error = ${said}, problem = ${said}
       where store_id = ${storeId} and kind = 'customer' and owner_id = ${memberId}`)
    await tx.run(sql`
      insert into contract_discounts (store_id, subscription_id, due_at, last_error, problem)
      values (${storeId}, ${subscription}, '2099-01-01', ${said}, ${said})`)
    await tx.run(sql`update metafield_stores set last_error = ${said} where store_id = ${storeId}`)
    await tx.run(sql`update reconciliations set last_error = ${said} where store_id = ${storeId}`)
    await tx.run(sql`update order_walks set last_error = ${said} where store_id = ${storeId}`)
    await tx.run(sql`
      insert into read_ins (store_id, part, phase, last_error, skipped_reason)
      values (${storeId}, 'customers', 'done', ${said}, ${said}) on conflict (store_id, part) do nothing`)
    await tx.run(sql`
      insert into tag_walks (store_id, next_at, last_error) values (${storeId}, '2099-01-01', ${said})
      on conflict (store_id) do update set last_error = ${said}`)
    await tx.run(sql`
      insert into known_tags (store_id, kind, owner_id, tag_key, tag, is_ours)
      values (${storeId}, 'customer', ${memberId}, 'friend of wilhelmina', 'Friend of Wilhelmina', false)`)
    await tx.run(sql`
      insert into customer_tags (store_id, member_id, tag_key, is_present, reported_at)
      values (${storeId}, ${memberId}, 'friend of wilhelmina', true, ${now})`)
    // Its only tier is open to everybody.
    await createTier(ctx, {
      ...{ name: 'Gold', description: '', isActive: true, entryRules: {}, rewardRules: {} },
      ...{ multiplier: 1, place: null, tag: '' }
    })
    await tx.run(sql`
      insert into tag_owners (store_id, kind, owner_id, last_error, changed_at)
      values (${storeId}, 'customer', ${memberId}, ${said}, ${now})
      on conflict (store_id, kind, owner_id) do update set last_error = ${said}`)
    await tx.run(sql`
      insert into wallet_passes (store_id, member_id, serial, sealed_token, content_hash, is_voided, tag, changed_at, problem, created_at)
      values (${storeId}, ${memberId}, 'planted', '\\x00', '', false, 1, ${now}, ${said}, ${now})`)
    await tx.run(sql`
      insert into reward_pulls (store_id, key, url, every_minutes, last_error) values (${storeId}, 'smile', 'http://127.0.0.1:9/', 60, ${said})
      on conflict (store_id, key) do update set last_error = ${said}`)
    await tx.run(sql`
      insert into credit_reservations (store_id, member_id, amount_minor, status, aborted_by, reason, operation_id, lots, minors, expires_at, created_at, ended_at)
      values (${storeId}, ${memberId}, 1, 'aborted', 'released', 'For Wilhelmina', ${`planted:${EMAIL}`}, '{}', '{}', ${now}, ${now}, ${now})`)
    await tx.run(sql`
      with rule as (
        insert into loyalty_rules (store_id, type, name, description, rules, reward_rules, is_enabled, starts_on, archived_at,
                                   created_at, updated_at)
        values (${storeId}, 'customer_tag', 'A tag', '', '{}', '{}', false, '2026-01-31', ${now}, ${now}, ${now}) returning id),
      version as (
        insert into loyalty_rule_versions (store_id, rule_id, version, rules, reward_rules, created_at)
        select ${storeId}, id, 1, '{}', '{}', ${now} from rule),
      counted as (
        insert into loyalty_counts (store_id, rule_id, member_id, cause, version, amount, counted_at)
        select ${storeId}, id, ${memberId}, 'tag:friend of wilhelmina', 1, 1, ${now} from rule),
      progress as (
        insert into loyalty_progress (store_id, member_id, rule_id, counted, rewarded) select ${storeId}, ${memberId}, id, 1, 1 from rule),
      award as (
        insert into loyalty_awards (store_id, rule_id, version, member_id, key, nth, amount, given_at)
        select ${storeId}, id, 1, ${memberId}, 'tag:friend of wilhelmina', 1, 1, ${now} from rule)
      insert into loyalty_coupons (store_id, member_id, rule_id, name, type, percent_hundredths, product_ids, collection_ids, code, status, ended_by, operation_id,
                                   problem, last_error, created_at, updated_at, ended_at)
      select ${storeId}, ${memberId}, id, 'A coupon', 'free_shipping', 10000, '{}', '{}', 'PLANTED', 'ended', 'refused',
             ${`planted:${EMAIL}`}, ${said}, ${said}, ${now}, ${now}, ${now} from rule`)
    await tx.run(sql`
      with receipt as (
        insert into loyalty_receipts (store_id, member_id, rule_id, retailer, purchased_on, number, amount_minor, status, decided_by, reason,
                                      content_hash, content_type, file_bytes, uploaded_at, decided_at, updated_at)
        select ${storeId}, ${memberId}, max(id), 'Shop of Wilhelmina', '2026-01-31', ${`of ${EMAIL}`}, 100, 'refused', 'operator', ${said},
               repeat('a', 64), 'image/png', 10, ${now}, ${now}, ${now} from loyalty_rules where store_id = ${storeId}
        returning id)
      insert into loyalty_receipt_files (store_id, name, receipt_id, state)
      select ${storeId}, repeat('b', 36), id, 'kept' from receipt`)
    await tx.run(sql`
      insert into contract_grants (store_id, member_id, operation_id, label, key, kind, percent, cycles, is_transferable, status, ended_by,
                                   problem, created_at, updated_at, ended_at)
      values (${storeId}, ${memberId}, 'award:1:2:tag:friend of wilhelmina:1', 'A grant', 'PLANTED23456', 'discount', 10, 1, true, 'ended',
              'refused', ${said}, ${now}, ${now}, ${now})`)
    await tx.run(sql`
      insert into granted_contracts (store_id, subscription_id, due_at, last_error)
      select ${storeId}, id, '2999-01-01', ${said} from subscriptions where store_id = ${storeId} and member_id = ${memberId} order by id limit 1`)
    await tx.run(sql`
      update points_entries set reason = 'Birthday of Wilhelmina' where store_id = ${storeId} and member_id = ${memberId}`)
    await tx.run(sql`
      update inbound_webhooks set last_error = ${said} where store_id = ${storeId} and id = (
        select max(id) from inbound_webhooks where store_id = ${storeId})`)
  })
}

/** What must add up after an erasure as before it: the ledgers, the orders, the charges, and how many rows there are. */
export async function sumsOf({ inStore }: Pick<Awaited<ReturnType<typeof aPersonWithEverything>>, 'inStore'>) {
  return inStore(async ({ tx, storeId }) => {
    const { sums } = await tx.one(
      row({ sums: text }),
      sql`
      select jsonb_pretty(jsonb_build_object(
        'credit', (select jsonb_build_array(count(*), sum(amount_minor), sum(balance_after_minor)) from credit_entries where store_id = ${storeId}),
        'balances', (select jsonb_build_array(count(*), sum(balance_minor), sum(reserved_minor)) from credit_accounts where store_id = ${storeId}),
        'lots', (select jsonb_build_array(count(*), sum(remaining_minor)) from credit_lots where store_id = ${storeId}),
        'points', (select jsonb_build_array(count(*), sum(points)) from points_entries where store_id = ${storeId}),
        'orders', (select jsonb_build_array(count(*), sum(total_minor), sum(refunded_minor), sum(tax_minor), sum(discount_minor)) from orders where store_id = ${storeId}),
        'charges', (select jsonb_agg(c order by c) from (select jsonb_build_array(status, count(*), sum(amount_minor)) as c
                      from billing_attempts where store_id = ${storeId} group by status) by_status),
        'revenue', (select sum(amount) from status_changes where store_id = ${storeId} and metric = 'revenue'),
        'metrics', (select jsonb_build_array(sum(revenue), sum(refunds), sum(credit_issued), sum(credit_redeemed), sum(points_issued), sum(members_new))
                      from daily_metrics where store_id = ${storeId}),
        'customers', (select count(*) from members where store_id = ${storeId}),
        'subscriptions', (select count(*) from subscriptions where store_id = ${storeId}),
        'history', (select count(*) from contract_activities where store_id = ${storeId} and kind not in ('cancelled', 'gifted')),
        'deliveries', (select count(*) from webhook_deliveries where store_id = ${storeId} and created_at < '2026-04-01'),
        'imported', (select jsonb_agg(status order by status) from import_rows where store_id = ${storeId}))) as sums`
    )
    return JSON.parse(sums) as Record<string, unknown>
  })
}
