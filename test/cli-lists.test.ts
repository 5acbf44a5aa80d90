// Lists of the command line, and the deletion of a store, each as a process against the running service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { run, json } = commandLine(service)
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)

test('members, subscriptions, attempts and events are listed by filters, page by page', async () => {
  const store = await service.aStore({ name: 'Books' })
  const of = ['--store', store.domain]
  const people = []
  for (const name of ['ada', 'bob', 'cyd']) people.push(await store.member(`${name}@example.com`))
  await store.card(people[1]!.customer.id, 'expired_card')
  await store.advance({ by: 'P1M' })

  const members = await json('member', 'list', ...of)
  assert.equal(members.total, 3)
  const first = await json('member', 'list', ...of, '--limit', '2')
  const second = await json('member', 'list', ...of, '--limit', '2', '--offset', '2')
  assert.deepEqual([...idsOf(first), ...idsOf(second)], idsOf(members))
  const [bob] = (await json('member', 'list', ...of, '--email', 'BOB@example.com')).data
  assert.equal(bob.platform_customer_id, people[1]!.customer.id)
  assert.equal((await json('member', 'list', ...of, '--status', 'cancelled')).total, 0)
  const shown = await run(['member', 'list', ...of, '--limit', '2'])
  assert.match(shown.out, /^ID +EMAIL +NAME +STATUS/)
  assert.match(shown.out, /\n1 to 2 of 3; for the next page add --offset 2\n$/)
  const beyond = await run(['member', 'list', ...of, '--offset', '9'])
  assert.equal(beyond.out, 'There are 3, none of them after 9.\n')

  const subscriptions = await json('subscription', 'list', ...of)
  assert.equal(subscriptions.total, 3)
  const mine = await json('subscription', 'list', ...of, '--customer', people[1]!.customer.id)
  assert.equal(mine.total, 1)
  const created = ['--created-after', '2026-01-01', '--created-before', '2026-01-02']
  assert.equal((await json('subscription', 'list', ...of, ...created)).total, 0)
  const { plan_id: plan } = subscriptions.data[0]
  assert.equal((await json('subscription', 'list', ...of, '--plan', plan, '--status', 'active')).total, 3)

  const attempts = await json('attempt', 'list', ...of)
  assert.equal(attempts.total, 3)
  const failed = await json('attempt', 'list', ...of, '--status', 'failed')
  assert.deepEqual([failed.total, failed.data[0].subscription_id], [1, idsOf(mine)[0]])
  assert.equal(failed.data[0].decline_code, 'expired_card')
  assert.equal((await json('attempt', 'list', ...of, '--subscription', idsOf(mine)[0]!)).total, 1)
  assert.equal((await json('attempt', 'list', ...of, '--from', '2026-03-01')).total, 0)
  const wrong = await run(['attempt', 'list', ...of, '--from', 'yesterday'])
  assert.match(wrong.err, /^perennial: --from \(date_from\) must be /)

  const events = await json('event', 'list', ...of, '--limit', '5')
  const rest = await json('event', 'list', ...of, '--since', String(events.next_since))
  assert.equal(events.total, events.data.length + rest.data.length)
  assert.ok(rest.data[0].sequence > events.data.at(-1).sequence)
  assert.equal((await json('event', 'list', ...of, '--type', 'billing.failed')).total, 1)
  const about = await json('event', 'list', ...of, '--customer', people[0]!.customer.id)
  assert.ok(about.total > 0 && about.total < events.total)
  assert.match((await run(['event', 'list', ...of, '--limit', '1'])).out, /more; for the next page add --since \d+\n$/)
})

test('a subscription is found by each status that it can have', async () => {
  const store = await service.aStore()
  const of = ['--store', store.domain]
  for (const name of ['ada', 'bob', 'cyd', 'dan']) await store.member(`${name}@example.com`)
  const [dan, cyd, bob, ada] = idsOf(await json('subscription', 'list', ...of)) as [string, string, string, string]
  for (const id of [bob, cyd, dan]) await json('subscription', 'cancel', id, ...of)
  for (const [id, status] of Object.entries({ [cyd]: 'failed', [dan]: 'expired' })) {
    await service.db.inStore(store.storeId, ({ tx, storeId }) =>
      tx.run(sql`
        update subscriptions set status = ${status}, grace_ends_at = null
         where store_id = ${storeId} and id = ${Number(id.slice(4))}`)
    )
  }
  const listed = async (...filters: string[]) => {
    const page = await json('subscription', 'list', ...of, ...filters)
    assert.equal(page.total, page.data.length)
    return idsOf(page)
  }
  assert.deepEqual(await listed('--status', 'active'), [ada])
  assert.deepEqual(await listed('--status', 'failed'), [cyd])
  assert.deepEqual(await listed('--status', 'expired'), [dan])
  assert.deepEqual(await listed('--status', 'cancelled'), [dan, cyd, bob])
  assert.deepEqual(await listed('--status', 'failed', '--customer', 'dan@example.com'), [])
  assert.deepEqual(await listed('--status', 'failed', '--customer', 'CYD@example.com'), [cyd])
  assert.deepEqual(await listed('--status', 'failed', '--created-before', '2026-01-01'), [])
})

test('a filter that names nothing is refused, a member is found by the address', async () => {
  const store = await service.aStore()
  const of = ['--store', store.domain]
  await store.member('ada@example.com')
  assert.ok((await json('event', 'list', ...of, '--customer', 'ada@example.com')).total > 0)
  const refused = async (...args: string[]) => {
    const ran = await run(args)
    assert.equal(ran.code, 1)
    return ran.err
  }
  assert.equal(
    await refused('event', 'list', ...of, '--customer', 'eve@example.com'),
    'perennial: There is no customer with the address eve@example.com\n'
  )
  for (const [args, accepts] of [
    [['member', 'list', ...of, '--plan', 'VIP'], /--plan cannot be 'VIP'\. It must be a plan id such as plan_3/],
    [['subscription', 'list', ...of, '--plan', '3'], /--plan cannot be '3'\. It must be a plan id such as plan_3/],
    [['attempt', 'list', ...of, '--subscription', '25'], /--subscription cannot be '25'\. .* id such as sub_12/],
    [['subscription', 'list', ...of, '--customer', 'sub_2'], /--customer cannot be 'sub_2'\. .* such as cust_24, /]
  ] as const) {
    assert.match(await refused(...args), accepts)
  }
})

test('dead letters are listed and retried', async () => {
  const store = await service.aStore()
  await store.member('ada@example.com')
  await service.db.inStore(store.storeId, ({ tx, storeId, now }) =>
    tx.run(sql`
      insert into fact_retries (store_id, consumer, fact_id, name, position, ordering_key, attempts, last_error, dead_at)
      select ${storeId}, 'webhooks', id, name, position, ordering_key, 6, 'It failed', ${now}
        from facts where store_id = ${storeId} order by id limit 2`)
  )
  const of = ['--store', store.domain]
  const page = await json('dead-letter', 'list', ...of, '--limit', '1')
  const next = await json('dead-letter', 'list', ...of, '--before', page.next)
  assert.deepEqual([page.data.length, next.data.length, next.next], [1, 1, null])
  const id = idsOf(page)[0]!
  assert.match((await run(['dead-letter', 'retry', id, ...of])).out, new RegExp(`^${id} is tried again`))
  await service.deps.settle(store.storeId)
  assert.deepEqual(idsOf(await json('dead-letter', 'list', ...of)), idsOf(next))
})

test('a script deletes a store with its name; without it nothing is deleted', async () => {
  const store = await service.aStore({ name: 'Old books' })
  const remove = ['store', 'delete', '--store', store.domain]
  const unasked = await run(remove)
  assert.deepEqual([unasked.code, unasked.out], [1, ''])
  assert.match(unasked.err, /--confirm is required where nobody can type the name/)
  const wrong = await run([...remove, '--confirm', 'old books'])
  assert.deepEqual(
    [wrong.code, wrong.err],
    [1, 'perennial: --confirm (name) must be the name of the store, "Old books": it confirms the deletion\n']
  )
  assert.equal((await json('store', 'show', '--store', store.domain)).status, 'active')
  const { out } = await run([...remove, '--confirm', 'Old books'])
  assert.equal(out, `${store.domain} is deleted.\n`)
  const gone = await run([...remove, '--confirm', 'Old books', '--json'])
  assert.deepEqual([gone.code, JSON.parse(gone.out).error.code], [1, 'not_found'])
})
