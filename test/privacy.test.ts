// The data of a person is erased everywhere on a request of the platform, and does not come back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import type { Person } from '#kit/personal-data'
import { json, row, sql, text } from '#kit/postgres'
import { receiveCompliance } from '#privacy'
import { beginErasure } from '../src/privacy/begin-erasure.ts'
import { HOLDERS } from '../src/privacy/erase-person.ts'
import { lockDueRequest } from '../src/privacy/queries.ts'
import { testDatabase } from './database.ts'
import { aPersonWithEverything, EMAIL, PHONE, sumsOf } from './person-with-everything.ts'
import { startService } from './service-builder.ts'
import { tracesIn, tracesInDatabase } from './traces.ts'

const { url } = await testDatabase()
const logged: string[] = []
const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
const service = await startService(url, { logger })

const PAGES = [
  'customers',
  'members',
  'orders',
  'subscriptions',
  'credits-history',
  'store-credits',
  'cancellation-reasons'
]

/** They have nothing that would have to go, or lose it when the erasure begins. */
const WITHOUT_TRACES = [
  'contract_offers',
  'identification_codes',
  'known_metafields',
  'loyalty_customer_tiers',
  'loyalty_granted_tiers',
  'loyalty_referral_codes',
  'loyalty_referrals',
  'members',
  'platform_credit_transactions',
  'privacy_exports',
  'reward_balances',
  'spending_gift_cards',
  'subscription_changes',
  // They go with the passes.
  'wallet_registrations'
]

test('without the erasing of any one table a trace of the person stays there', async () => {
  const her = await aPersonWithEverything(service)
  const { inStore, storeId } = her
  await inStore((ctx) =>
    receiveCompliance(ctx, 'customers/redact', { customer: { id: Number(her.customer), email: EMAIL, phone: PHONE } })
  )
  await inStore(async (ctx) => assert.equal(await beginErasure(ctx, (await lockDueRequest(ctx))!), null))
  const { person } = await inStore(({ tx }) =>
    tx.one(
      row({ person: json<Person>() }),
      sql`select subject->'person' as person from privacy_requests where store_id = ${storeId}`
    )
  )
  const before = await tracesInDatabase(url, her.wanted)
  const expected = HOLDERS.map(({ table }) => table).filter((table) => !WITHOUT_TRACES.includes(table))
  assert.deepEqual(Object.keys(before).sort(), [...expected].sort())
  // One after the other: with it the traces of its table go, and only with it.
  for (const holder of HOLDERS) {
    const { table } = holder
    const traces = async () => Object.keys(await tracesInDatabase(url, her.wanted, table))
    assert.deepEqual(await traces(), expected.includes(table) ? [table] : [], `before ${table}`)
    for (let after: string | null = null; ; ) {
      const part = await inStore((ctx) => holder.erase(ctx, person, after))
      if (part.next === null) break
      after = part.next
    }
    // Who the request is about stays until it is done.
    assert.deepEqual(await traces(), table === 'privacy_requests' ? [table] : [], `after ${table}`)
  }
  await her.settle()
  await her.store.advance({ by: 'PT1H' })
  assert.deepEqual(await tracesInDatabase(url, her.wanted), {})
})

test('an erased person is in no table, page or line of the log, the sums are as before, and nothing brings them back', async () => {
  logged.length = 0
  const her = await aPersonWithEverything(service)
  const { store, storeId, customer, inStore, settle, wanted } = her
  const { controls } = service.sandbox
  // None of her rows has changed on the day of the erasure.
  await store.advance({ by: 'P2D' })
  const before = await sumsOf(her)
  for (const page of PAGES) await her.page(page)
  assert.ok(tracesIn(await her.page('orders'), wanted).length > 0)

  const onPlatform = () =>
    inStore(({ tx }) =>
      tx.many(
        row({ key: text }),
        sql`
        select key from sandbox.metafields
         where store_id = ${storeId} and owner_type = 'Customer' and owner_id = ${customer}::bigint order by key`
      )
    )
  assert.ok((await onPlatform()).length > 3)
  const ourTags = async () => {
    const { tags } = await inStore(({ tx }) =>
      tx.one(
        row({ tags: text }),
        sql`select array_to_string(tags, ',') as tags from sandbox.customers where store_id = ${storeId} and id = ${customer}::bigint`
      )
    )
    return tags.split(',').filter((tag) => tag.startsWith('SVC: '))
  }
  assert.ok((await ourTags()).length > 0)
  const began = (await inStore(async ({ now }) => now)).toString()
  const redact = { storeId, topic: 'customers/redact', customerId: customer } as const
  await controls.sendCompliance(redact)
  await settle()
  assert.deepEqual(await statuses(her), ['checking'])
  await store.advance({ by: 'PT1H' })
  assert.deepEqual(await statuses(her), ['done'])
  assert.deepEqual(await tracesInDatabase(url, wanted), {})
  // Discounts of members go by them.
  assert.deepEqual(await ourTags(), [])
  for (const page of PAGES) assert.deepEqual(tracesIn(await her.page(page), wanted), [], page)
  assert.deepEqual(await sumsOf(her), before)
  // Whoever copies rows by their change gets hers again, and receivers of webhooks are notified.
  for (const name of ['orders', 'subscriptions'] as const) {
    const { data } = JSON.parse(await her.page(name, { since_updated: began.slice(0, 10) }))
    const ofHer = data.filter((one: any) => one.shopify_customer_gid === `0${her.memberId}`)
    assert.ok(ofHer.length >= 3, `${name}: ${ofHer.length}`)
    assert.ok(ofHer.every((one: any) => one.customer_email === ''))
  }
  const notified = her.receiver.received.filter(
    ({ event, timestamp, data }) =>
      event === 'member.updated' && timestamp >= began.slice(0, 10) && data.id === `mem_${her.memberId}`
  )
  assert.deepEqual(
    notified.map(({ data }) => [data.customer.email, data.changes.email]),
    [[null, { from: null, to: null }]]
  )
  assert.deepEqual(await findings(her), [])
  assert.deepEqual(
    logged.filter((line) => tracesIn(line, wanted).length > 0),
    []
  )
  // The agreements have ended, here and there, and what she was given is its giver's again.
  const live = await inStore(({ tx }) =>
    tx.many(
      row({ email: text }),
      sql`
      select m.email from subscriptions s join members m on m.store_id = ${storeId} and m.id = s.member_id
       where s.store_id = ${storeId} and s.status in ('active', 'paused') and s.receiver_member_id is null`
    )
  )
  assert.deepEqual(live, [{ email: 'ordinary.other@example.com' }])

  // The platform here still has her, and goes on to report her.
  await her.admin('POST', '/sandbox/orders', { customer, total: '12.00', country: 'US', province: 'NY' })
  await her.admin('POST', '/sandbox/joins', { customer, plan: 'VIP' })
  await settle()
  await her.admin('POST', '/reconcile', {})
  await settle()
  await store.advance({ by: 'P2D' })
  assert.deepEqual(await onPlatform(), [], 'nothing of ours is left on the platform, and nothing comes back')
  assert.deepEqual(await tracesInDatabase(url, wanted), {})
  assert.deepEqual(await findings(her), [])
  await controls.sendCompliance(redact)
  await store.advance({ by: 'PT1H' })
  assert.deepEqual(await statuses(her), ['done', 'done'])
  assert.deepEqual(await tracesInDatabase(url, wanted), {})
})

type Her = Awaited<ReturnType<typeof aPersonWithEverything>>

async function statuses({ inStore, storeId }: Her): Promise<string[]> {
  const rows = await inStore(({ tx }) =>
    tx.many(row({ status: text }), sql`select status from privacy_requests where store_id = ${storeId} order by id`)
  )
  return rows.map(({ status }) => status)
}

/** What the auditor finds wrong; the planted failures are warnings. */
async function findings({ storeId }: Her): Promise<unknown[]> {
  return (await service.deps.doctor(storeId)).findings
}
