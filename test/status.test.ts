// What does not work is named: by `status`, `doctor`, a moved clock and the log, each with what to do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFailureLog } from '#kit/failure-log'
import { row, sql, text } from '#kit/postgres'
import { notify } from '#stores'
import { createStatus } from '../src/audit/problems/create-status.ts'
import { createProblemWatch } from '../src/audit/problems/watch-problems.ts'
import { DECLINE_KINDS } from '../src/billing/dunning/decline-codes.ts'
import { commandLine } from './command-line.ts'
import { onServer, testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { run, json } = commandLine(service)

type Found = { kind: string; store: string; subject: string; since: string | null; message: string; next: string }

const statusOf = (store: string): Promise<{ working: boolean; problems: Found[]; notes: Found[] }> =>
  service.admin('GET', `/status?store=${store}`)
const subscriptionOf = async (at: string, customer: string): Promise<string> => {
  const { id } = await service.admin('GET', `${at}/customers/${customer}`)
  return (await service.admin('GET', `${at}/subscriptions?customer_id=${id}`)).data[0].id
}
const kinds = (found: Found[]) => found.map(({ kind, subject }) => `${kind} ${subject}`)

test('a store that works has no problem, and the command says so', async () => {
  const { domain } = await service.aStore()
  const { working, problems, notes } = await statusOf(domain)
  assert.deepEqual({ working, problems, notes }, { working: true, problems: [], notes: [] })
  const { code, out } = await run(['status', '--store', domain])
  assert.deepEqual([code, out], [0, 'One store: everything works.\n'])
})

test('a receiver that fails is named with its last error, then as disabled, and no longer when it is enabled', async () => {
  const store = await service.aStore()
  const receiver = await aReceiver(() => 500)
  const { id } = await service.admin('POST', `${store.at}/webhooks`, { url: receiver.url })
  await store.member('ada@example.com')
  const moved = await store.advance({ by: 'PT1M' })
  const [failing] = (await statusOf(store.domain)).problems
  assert.deepEqual(
    [failing!.kind, failing!.subject, failing!.since],
    ['endpoint_failing', id, '2026-01-31T15:00:00.000Z']
  )
  assert.match(failing!.message, /its last try failed: 500/)
  assert.match(failing!.next, new RegExp(`perennial webhook deliveries --store ${store.domain} --endpoint ${id}`))
  // The move of the clock and the auditor name it too.
  assert.deepEqual(kinds(moved.problems), [`endpoint_failing ${id}`])
  const report = await service.admin('POST', '/doctor', { store: store.domain })
  assert.deepEqual([kinds(report.problems), report.findings], [[`endpoint_failing ${id}`], []])

  const shown = await run(['clock', 'advance', '--store', store.domain, '--by', 'P10D'])
  assert.equal(shown.code, 0)
  assert.match(shown.out, /Everything that fell due is done, but not all of it worked:/)
  assert.match(shown.out, /failed in every try:\n {2}perennial webhook deliveries --store \S+ --status failed/)
  const alone = await run(['status', '--store', store.domain])
  assert.equal(alone.code, 1)
  assert.match(alone.out, new RegExp(`^One problem:\n\n${store.domain}: The endpoint ${id} `))

  await service.db.inStore(store.storeId, ({ tx, storeId, now }) =>
    tx.run(sql`
      update webhook_endpoints set status = 'disabled', disabled_reason = 'It failed for too long', disabled_at = ${now}
       where store_id = ${storeId}`)
  )
  const [disabled] = (await statusOf(store.domain)).problems
  assert.equal(disabled!.kind, 'endpoint_disabled')
  assert.match(disabled!.message, /It failed for too long/)
  assert.match(
    disabled!.next,
    /webhook enable .* then perennial webhook resend-failed .*--since 2026-01-31T15:00:00.000Z --missed$/
  )
  await service.admin('POST', `${store.at}/webhooks/${id}/enable`, {})
  assert.deepEqual((await statusOf(store.domain)).problems, [])
  await service.admin('POST', `${store.at}/webhooks/${id}/disable`, {})
  const off = await statusOf(store.domain)
  assert.deepEqual([off.working, kinds(off.notes)], [true, [`endpoint_off ${id}`]])
})

test('a moved clock names the alerts of the move, which need not be about something that does not work', async () => {
  const store = await service.aStore()
  const { customer } = await store.member('ada@example.com')
  await store.card(customer.id, 'MERCHANT_ACCOUNT_ERROR')
  await service.db.inStore(store.storeId, (ctx) =>
    notify(ctx, { kind: 'restore_finished', subject: 'Of before the move', message: 'All read' })
  )
  const advance = async (by: string) => (await run(['clock', 'advance', '--store', store.domain, '--by', by])).out
  assert.match(
    await advance('P28D'),
    /Everything that fell due is done\.\n\nAlerts that were raised:\n {2}Charges fail because of the shop itself\n {2}To read/
  )
  assert.match(await advance('PT1M'), /Everything that fell due is done\.\n$/)
})

test('an operator token that is wrong is reported with where it comes from', async () => {
  const { code, err } = await run(['store', 'list'], { PERENNIAL_TOKEN: 'op_wrong_wrong_wrong_wrong_wrong_wrong' })
  assert.equal(code, 1)
  assert.match(
    err,
    /A valid operator token is needed: that of PERENNIAL_TOKEN, or else of operator\.token in DATA_DIR, is not /
  )
})

test('a receiver that fails and is then disabled on purpose is no problem', async () => {
  const store = await service.aStore()
  const receiver = await aReceiver(() => 500)
  const { id } = await service.admin('POST', `${store.at}/webhooks`, { url: receiver.url })
  await store.member('ada@example.com')
  await store.advance({ by: 'PT1M' })
  assert.deepEqual(kinds((await statusOf(store.domain)).problems), [`endpoint_failing ${id}`])
  await service.admin('POST', `${store.at}/webhooks/${id}/disable`, {})
  const off = await statusOf(store.domain)
  assert.deepEqual([off.working, kinds(off.notes)], [true, [`endpoint_off ${id}`]])
})

test('one that says it is gone was disabled by the service, even if that was the answer to a test', async () => {
  const store = await service.aStore()
  const receiver = await aReceiver(() => 410)
  const { id } = await service.admin('POST', `${store.at}/webhooks`, { url: receiver.url })
  await service.admin('POST', `${store.at}/webhooks/${id}/test`, { event: 'billing.success' })
  await service.deps.settle(store.storeId)
  assert.deepEqual(kinds((await statusOf(store.domain)).problems), [`endpoint_disabled ${id}`])
  // Another URL does not make it somebody's decision.
  await service.admin('PATCH', `${store.at}/webhooks/${id}`, { url: `${receiver.url}/new` })
  assert.deepEqual(kinds((await statusOf(store.domain)).problems), [`endpoint_disabled ${id}`])
})

test('beside hundreds of receivers that have failed for long, a new failure is logged all the same', async () => {
  const store = await service.aStore()
  const { db } = service
  const insert = (count: number, hours: number) =>
    db.inStore(store.storeId, ({ tx, storeId, now }) =>
      tx.run(sql`
        insert into webhook_endpoints (store_id, url, secret, created_at, updated_at, failing_since)
        select ${storeId}, 'https://example.com/' || g.n, '\\x00'::bytea, ${now}, ${now}, ${now.subtract({ hours })}
          from generate_series(1, ${count}::int) as g(n)
        on conflict do nothing`)
    )
  await insert(150, 48)
  const lines: string[] = []
  const { look } = createStatus({
    db,
    engines: [],
    failures: createFailureLog({ info: () => {}, error: () => {} }, () => null),
    databaseTrouble: async () => null,
    clockProblem: () => null,
    log: { warn: (_, line) => void lines.push(line), info: (_, line) => void lines.push(line) }
  })
  await look()
  lines.length = 0
  await insert(1, 1)
  await look()
  assert.equal(lines.length, 1, lines.join('\n'))
  assert.match(lines[0]!, /https:\/\/example\.com\/1\) has accepted no delivery/)
  assert.equal((await statusOf(store.domain)).problems.length, 100)
})

test('a disconnected store is named, and what waits for it, with how to connect it again', async () => {
  const store = await service.aStore()
  await store.member('ada@example.com')
  const disconnected = await json('store', 'disconnect', '--store', store.domain)
  assert.deepEqual([disconnected.status, disconnected.webhooks_removed], ['disconnected', true])
  assert.deepEqual((await json('store', 'disconnect', '--store', store.domain)).status, 'disconnected')
  assert.equal((await service.get('/members', store.key)).status, 401)
  const charges = await service.sandbox.controls.charges(store.storeId)
  const moved = await json('clock', 'advance', '--store', store.domain, '--by', 'P2M')
  assert.deepEqual(await service.sandbox.controls.charges(store.storeId), charges)
  const { working, problems } = await statusOf(store.domain)
  assert.equal(working, false)
  assert.deepEqual(moved.problems, problems)
  const billing = problems.find(({ subject }) => subject === 'billing')!
  assert.deepEqual([billing.kind, billing.since], ['work_waiting', '2026-02-28T15:00:00.000Z'])
  assert.match(billing.message, /^Billing \(charges, pauses that end, reminders\) waits: the store is disconnected/)
  for (const { kind, message } of problems) {
    if (kind === 'work_waiting') assert.doesNotMatch(message, /^(The work of the engine|Metafields waits)/)
  }
  assert.equal(kinds(problems)[0], `store_disconnected ${store.domain}`)
  assert.match(problems[0]!.next, new RegExp(`perennial store connect --store ${store.domain}, or`))

  const connected = await json('store', 'connect', '--store', store.domain)
  assert.match(connected.platform_token, /^sbx_/)
  assert.deepEqual((await statusOf(store.domain)).problems, [])
  assert.equal((await service.sandbox.controls.charges(store.storeId)).length, charges.length + 1)
  // A store that is connected keeps its token.
  assert.equal((await json('store', 'connect', '--store', store.domain)).platform_token, connected.platform_token)
})

test('an access token that the platform refuses is named at once, and what waited for it is charged when the platform takes one', async () => {
  const [connected, healed] = [await service.aStore(), await service.aStore()]
  for (const store of [connected, healed]) {
    await store.member('ada@example.com')
    const { controls } = service.sandbox
    const charges = () => controls.charges(store.storeId).then(({ length }) => length)
    const before = await charges()
    // Nothing of the join is left to be written with the refused token.
    await service.deps.settle(store.storeId)
    // The platform tells nobody that the app was removed.
    await controls.install({ storeId: store.storeId, accessToken: 'sbx_another' })
    await json('clock', 'advance', '--store', store.domain, '--by', 'P1M')
    await until('the refusal is known', async () => (await statusOf(store.domain)).problems.length > 0)
    const moved = await json('clock', 'advance', '--store', store.domain, '--by', 'P2D')
    const { problems } = await statusOf(store.domain)
    assert.deepEqual([kinds(problems), moved.problems], [[`token_refused ${store.domain}`], problems])
    // The charge meets it, unless a read in the background has met it before the clock was moved.
    const since = problems[0]!.since!
    assert.ok(['2026-01-31T15:00:00.000Z', '2026-02-28T15:00:00.000Z'].includes(since), since)
    assert.match(
      problems[0]!.next,
      new RegExp(`^Open the app .* If not: perennial store connect --store ${store.domain}`)
    )
    const { data: alerts } = await service.admin('GET', `${store.at}/alerts`)
    assert.deepEqual(
      alerts.map(({ kind }: { kind: string }) => kind),
      ['platform_unauthorized']
    )
    assert.equal(await charges(), before)

    if (store === healed) await controls.install({ storeId: store.storeId, accessToken: store.platform_token })
    if (store === healed) await service.admin('POST', `${store.at}/reconcile`, {})
    else await json('store', 'connect', '--store', store.domain)
    await until('the charge is made', async () => (await charges()) === before + 1)
    assert.deepEqual((await statusOf(store.domain)).problems, [])
  }
})

test('dead letters, events and jobs that fail, and readings that fail are named with their errors', async () => {
  const store = await service.aStore()
  await store.member('ada@example.com')
  await service.db.inStore(store.storeId, async ({ tx, storeId, now }) => {
    await tx.run(sql`
      insert into fact_retries (store_id, consumer, fact_id, name, position, ordering_key, attempts, last_error, dead_at)
      select ${storeId}, 'webhooks', id, name, position, ordering_key, 6, 'It never worked', ${now}
        from facts where store_id = ${storeId} order by id limit 1`)
    await tx.run(sql`
      insert into fact_retries (store_id, consumer, fact_id, name, position, ordering_key, attempts, last_error, retry_at)
      select ${storeId}, 'webhooks', id, name, position, 'other', 1, 'It failed once', ${now.add({ hours: 1 })}
        from facts where store_id = ${storeId} order by id desc limit 1`)
    await tx.run(sql`
      insert into jobs (store_id, kind, dedupe_key, payload, run_at, attempts)
      values (${storeId}, 'no_such_job', 'k', '{}', ${now}, 0)`)
    await tx.run(sql`
      update reconciliations set failures = 2, last_error = 'No answer' where store_id = ${storeId} and kind = 'contracts'`)
  })
  await service.deps.settle(store.storeId)
  const { problems } = await statusOf(store.domain)
  assert.deepEqual(kinds(problems).toSorted(), [
    'dead_letters webhooks',
    'events_retried webhooks',
    'job_failing no_such_job',
    'reconciliation_failing contracts'
  ])
  const of = (kind: string) => problems.find((problem) => problem.kind === kind)!
  const retry = /perennial (dead-letter retry webhooks:\d+ --store \S+)/.exec(of('dead_letters').next)
  assert.match(of('dead_letters').message, /It never worked/)
  assert.match(of('events_retried').message, /It failed once/)
  assert.match(of('job_failing').message, /No job is named no_such_job/)
  assert.equal(of('job_failing').since, '2026-01-31T15:00:00.000Z')
  assert.match(of('reconciliation_failing').message, /2 times; .*No answer/)
  // The command that it names works.
  assert.equal((await run(retry![1]!.split(' '))).code, 0)
  await service.deps.settle(store.storeId)
  assert.equal(kinds((await statusOf(store.domain)).problems).includes('dead_letters webhooks'), false)
})

test('metafields and tags that the platform does not take are named with a reason, until it takes them', async () => {
  const store = await service.aStore()
  const { customer } = await store.member('ada@example.com')
  await service.admin('POST', `${store.at}/sandbox/access`, { without: ['write_customers'] })
  await service.admin('POST', `${store.at}/subscriptions/${await subscriptionOf(store.at, customer.id)}/pause`, {})
  const sync = async () => {
    for (const part of ['metafields', 'tags']) {
      await service.admin('POST', `${store.at}/${part}/sync`, { customer: customer.id })
    }
  }
  await sync()
  const mirrored = ({ problems }: { problems: Found[] }) =>
    problems.filter(({ kind }) => kind.endsWith('_differ')).map(({ kind, message }) => [kind, message])
  assert.deepEqual(mirrored(await statusOf(store.domain)), [], 'once is not worth saying')
  // As after further tries, between which hours would pass.
  await service.db.inStore(store.storeId, async ({ tx, storeId }) => {
    await tx.run(sql`update metafield_owners set attempts = 4 where store_id = ${storeId} and attempts > 0`)
    await tx.run(sql`update tag_owners set attempts = 4 where store_id = ${storeId} and attempts > 0`)
  })
  const found = mirrored(await statusOf(store.domain))
  assert.deepEqual(
    found.map(([kind]) => kind),
    ['metafields_differ', 'tags_differ']
  )
  for (const [, message] of found) assert.match(message!, /of one owner are not as they are to be.*: .*Access denied/)
  await service.admin('POST', `${store.at}/sandbox/access`, { without: [] })
  await sync()
  await service.deps.settle(store.storeId)
  assert.deepEqual(mirrored(await statusOf(store.domain)), [])
})

test('charges that wait for a person, and those without a result for a week, are named with how many and since when', async () => {
  const store = await service.aStore()
  for (const [email, outcome] of [
    ['ada@example.com', 'amount_too_large'],
    ['grace@example.com', 'invalid_purchase_type,success'],
    ['alan@example.com', 'never']
  ]) {
    const { customer } = await store.member(email!)
    await store.card(customer.id, outcome!)
  }
  const known = (found: Found[]) => found.map(({ kind, since, message }) => [kind, since, message])
  const held = (message: string) => ['charges_held', '2026-02-28T15:00:00.000Z', message]
  const pending = ['charges_pending', '2026-02-28T15:00:00.000Z', 'One charge has been pending for more than a week']

  // A week after the charges on 28 February, and a second more.
  const first = await store.advance({ to: '2026-03-07T15:00:00Z' })
  assert.deepEqual(known(first.problems), [held('2 charges wait for a person')])
  const moved = await run(['clock', 'advance', '--store', store.domain, '--by', 'PT1S'])
  assert.match(
    moved.out,
    /but not all of it worked:\n\n\S+: 2 charges wait for a person \(since 2026-02-28T15:00:00.000Z\)\n/
  )
  assert.match(moved.out, new RegExp(`perennial attempt list --store ${store.domain} --status pending`))
  const { working, problems } = await statusOf(store.domain)
  assert.deepEqual([working, known(problems)], [false, [held('2 charges wait for a person'), pending]])
  assert.equal((await run(['status', '--store', store.domain])).code, 1)
  const { problems: ofAll } = await service.admin('GET', '/status')
  assert.deepEqual(known(ofAll.filter((problem: Found) => problem.store === store.domain)), known(problems))

  // The auditor names each, and the commands show them.
  const { findings, warnings } = await service.admin('POST', '/doctor', { store: store.domain })
  const since = /has waited for a person since 2026-02-28 15:00:00\+00: invalid_order \(/
  const ofCheck = (found: { check: string; message: string }[], name: string) =>
    found.filter(({ check }) => check === name)
  assert.equal(ofCheck(findings, 'outcomes_known').length, 1)
  const listed = ofCheck(warnings, 'charges_held')
  assert.equal(listed.length, 2)
  for (const { message } of listed) assert.match(message, since)
  const { data } = await json('attempt', 'list', '--store', store.domain, '--status', 'failed')
  assert.equal(data.length, 2)

  // One is paid on the second try, and no longer waits.
  const second = data.find(({ decline_code }: { decline_code: string }) => decline_code === 'invalid_purchase_type')
  assert.equal((await service.post(`/billing-attempts/${second.id}/retry`, store.key, {})).status, 200)
  await service.deps.settle(store.storeId)
  assert.deepEqual(known((await statusOf(store.domain)).problems), [held('One charge waits for a person'), pending])
})

test('every class of failures that is held for a person is counted, by the index, and no other one', async () => {
  const store = await service.aStore()
  const { customer } = await store.member('ada@example.com')
  await store.card(customer.id, 'amount_too_large')
  await store.advance({ by: 'P1M' })
  for (const [code, kind] of Object.entries(DECLINE_KINDS)) {
    await service.db.inStore(store.storeId, ({ tx, storeId }) =>
      tx.run(sql`update billing_attempts set error_code = ${code} where store_id = ${storeId} and status = 'failed'`)
    )
    assert.deepEqual(
      kinds((await statusOf(store.domain)).problems),
      kind === 'held' ? ['charges_held charges'] : [],
      code
    )
  }
  const { definition } = await service.db.inInstallation((tx) =>
    tx.one(row({ definition: text }), sql`select pg_get_indexdef('billing_attempts_held'::regclass) as definition`)
  )
  const indexed = [...definition.matchAll(/'(\w+)'::text/g)].map(([, code]) => code).filter((code) => code !== 'failed')
  assert.deepEqual(
    indexed.toSorted(),
    Object.keys(DECLINE_KINDS)
      .filter((code) => DECLINE_KINDS[code as never] === 'held')
      .toSorted()
  )
})

test('work that has been due for more than a minute is named, with the last error of its engine', async () => {
  const store = await service.aStore()
  await store.member('ada@example.com')
  await service.db.inInstallation((tx) =>
    tx.run(sql`update stores set clock_at = clock_at + interval '32 days' where store_id = ${store.storeId}`)
  )
  const { problems } = await statusOf(store.domain)
  assert.deepEqual(kinds(problems), ['work_waiting billing'])
  assert.equal(problems[0]!.since, '2026-02-28T15:00:00.000Z')
  assert.match(problems[0]!.next, /Is a node of the role all or worker running\?/)
  await service.deps.settle(store.storeId)
  assert.deepEqual((await statusOf(store.domain)).problems, [])
})

test('without a database the status says that, and nothing else', async () => {
  const other = await testDatabase()
  const lost = await startService(other.url)
  await onServer(`drop database ${new URL(other.url).pathname.slice(1)} with (force)`)
  const { code, out } = await commandLine(lost).run(['status'])
  assert.equal(code, 1)
  assert.match(out, /^One problem:\n\nThe database does not answer: /)
  assert.match(out, /embedded database is started again by itself.*With DATABASE_URL: start PostgreSQL/)
  const status = JSON.parse((await commandLine(lost).run(['status', '--json'])).out)
  assert.deepEqual(kinds(status.problems), ['database_unreachable database'])
})

test('the log says a problem once when it begins and once when it ends', async () => {
  const lines: string[] = []
  let problems: Parameters<typeof createProblemWatch>[0] extends () => Promise<infer P> ? P : never = []
  const watch = createProblemWatch(async () => problems, {
    warn: (_, line) => void lines.push(`warn ${line}`),
    info: (_, line) => void lines.push(`info ${line}`)
  })
  const one = (subject: string) => ({
    kind: 'job_failing' as const,
    store: 'a.example',
    subject,
    since: null,
    message: `Jobs ${subject} failed`,
    next: 'Fix it.'
  })
  await watch.look()
  problems = [one('x')]
  await watch.look()
  problems = [{ ...one('x'), message: 'Jobs x failed: another error' }, one('y')]
  await watch.look()
  await watch.look()
  problems = [one('y')]
  await watch.look()
  assert.deepEqual(lines, [
    'warn a.example: Jobs x failed. What to do: Fix it.',
    'warn a.example: Jobs y failed. What to do: Fix it.',
    'info No longer: a.example: Jobs x failed: another error'
  ])
  lines.length = 0
  problems = Array.from({ length: 500 }, (_, i) => one(`z${i}`))
  await watch.look()
  assert.equal(lines.length, 22)
  assert.match(lines.at(-1)!, /480 more problems have begun and 0 have ended: `perennial status` lists them/)
})

test('what fails again and again is logged once, and once when it works again', () => {
  const lines: string[] = []
  const log = {
    error: (_: object, line: string) => void lines.push(line),
    info: (_: object, line: string) => void lines.push(line)
  }
  const gone = new Error('gone')
  const failures = createFailureLog(log, (err) => (err === gone ? { key: 'database', what: 'The database' } : null))
  for (let i = 0; i < 100; i++) failures.failed('engine billing 1', new Error(`no ${i}`), 'Engine billing')
  // One cause, whatever fails by it.
  for (const key of ['engine billing 1', 'engine jobs 2', 'housekeeping']) failures.failed(key, gone, key)
  assert.deepEqual(
    failures.failing().map(({ key, count, message }) => [key, count, message]),
    [
      ['engine billing 1', 100, 'no 99'],
      ['database', 3, 'gone']
    ]
  )
  failures.worked('engine jobs 2')
  failures.expire()
  failures.worked('engine billing 1')
  failures.worked('engine billing 1')
  failures.worked('database')
  assert.deepEqual(lines, [
    'Engine billing failed: no 0. This is logged once until it works again',
    'The database failed: gone. This is logged once until it works again',
    'Engine billing works again: 100 failures in 0 s',
    'The database works again: 3 failures in 0 s'
  ])
  assert.deepEqual(failures.failing(), [])
})
