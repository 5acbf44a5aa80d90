// The auditor counts the charges of a store that is no sandbox by the orders on its platform, within limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicId } from '#kit/ids'
import { sql } from '#kit/postgres'
import type { Connector, PlatformCharges } from '#platform'
import { requestedScopes } from '#platform'
import { startSandbox } from '../sandbox/start-sandbox.test-helper.ts'
import { auditCharges } from '../src/audit/audit-charges.ts'
import { ALL_PLATFORMS_MS, diagnose } from '../src/audit/diagnose.ts'
import { compareCharges } from '../src/audit/platform-charges.ts'
import { CHARGE_LIMITS, type ChargeLimits } from '../src/audit/read-charges.ts'
import { aChargedMember } from './charged-member.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { theValue } from './fake-platform.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db, requestedScopes)
const SECOND = '2026-02-28T15:00:00Z'
const THIRD = '2026-03-31T14:00:00Z'

/** A member whose second and third cycle are paid. */
async function aLiveMember() {
  const member = await aChargedMember(db, sandbox)
  const { storeId, inStore } = member
  for (const cycle of [SECOND, THIRD]) {
    await member.goTo(cycle)
    await member.bill()
  }
  const audit = async (to: Connector = member.connector, limits: ChargeLimits = CHARGE_LIMITS) => {
    const { findings, notChecked, checked } = await auditCharges(db, storeId, async () => to, limits)
    return { messages: findings.map(({ message }) => message), notChecked, checked }
  }
  const set = (assignments: string) =>
    inStore(({ tx }) =>
      tx.run({ name: '', text: `update billing_attempts set ${assignments} where store_id = $1`, values: [storeId] })
    )
  return { ...member, audit, set }
}

type Member = Awaited<ReturnType<typeof aLiveMember>>

/** A platform that lists no charges, or these, and then is asked for ours by their ids. */
const listing = (
  member: Member,
  page: Partial<PlatformCharges>,
  findAttempts: Connector['billing']['findAttempts'] = member.connector.billing.findAttempts
) =>
  withCalls(member.connector, {
    billing: {
      listChargesSince: async () => ({
        ok: true,
        value: { items: [], withheld: [], oldestAt: null, after: null, ...page }
      }),
      findAttempts
    }
  })

/** So many more successes of ours, which the platform does not have. */
const addSuccesses = ({ inStore, storeId }: Member, count: number, over = 'submitted_at') =>
  inStore(({ tx }) =>
    tx.run({
      name: '',
      text: `insert into billing_attempts (store_id, subscription_id, cycle_index, cycle_at, attempt_number, status, idempotency_key, amount_minor,
               currency, scheduled_at, submitted_at, platform_attempt_id, created_at, completed_at)
             select store_id, subscription_id, 100 + n, cycle_at, 1, status, 'more-' || n, amount_minor, currency, scheduled_at, ${over},
                    (900000 + n)::text, created_at, completed_at
               from billing_attempts, generate_series(1, $2::int) n
              where store_id = $1 and id = (select max(id) from billing_attempts where store_id = $1)`,
      values: [storeId, count]
    })
  )

const AGREE = { messages: [], notChecked: [], checked: 2 }

test('charges that the platform has and that are known here agree', async () => {
  const member = await aLiveMember()
  assert.deepEqual(await member.audit(), AGREE)
})

test('a period with two orders is found, until one of them is refunded or cancelled', async () => {
  const member = await aLiveMember()
  const { connector, contractId, shop } = member
  const again = theValue(
    await connector.billing.createAttempt({
      contractId,
      idempotencyKey: 'another-key',
      originTime: Temporal.Instant.from(THIRD),
      cycleAt: Temporal.Instant.from(THIRD)
    })
  )
  await shop.settle()
  const { messages, checked } = await member.audit()
  assert.equal(checked, 3)
  assert.equal(messages.length, 2)
  assert.match(messages[0]!, /^was charged under another-key, which we do not have as a success$/)
  assert.match(messages[1]!, /^was charged 2 times for the period of 2026-03-31T14:00:00Z: orders \d+, \d+$/)
  // While a restored store is on hold, charges that it does not know yet are being taken over.
  const hold = (since: string | null) =>
    member.inStore(({ tx }) =>
      tx.run(sql`update stores set restored_at = ${since}::timestamptz where store_id = ${member.storeId}`)
    )
  await hold(THIRD)
  const held = await member.audit()
  assert.deepEqual(held.messages, messages.slice(1))
  assert.match(`${held.notChecked}`, /^1 charges on the platform are not known here yet: the store was restored/)
  await hold(null)
  const order = theValue(await connector.billing.findAttempts([again.id])).get(again.id)!.order!
  await db.direct.run(
    sql`update sandbox.orders set cancelled_at = now() where store_id = ${shop.storeId} and id = ${Number(order.id)}`
  )
  assert.deepEqual((await member.audit()).messages, [])
})

test('another amount, and a success that the platform does not have, are found; one that is not shown proves nothing', async () => {
  const member = await aLiveMember()
  await member.set('amount_minor = 2800')
  const other = await member.audit()
  assert.deepEqual(other.messages, Array(2).fill('was charged 29.00 USD, we have 28.00 USD'))
  await member.set(`amount_minor = 2900, platform_attempt_id = '99999' || id, idempotency_key = 'key-' || id`)
  const unseen = await member.audit()
  assert.equal(unseen.messages.length, 2)
  assert.match(unseen.messages[0]!, /which we do not have as a success/)
  assert.deepEqual(unseen.notChecked, ['2 charges that are successes here were not found on the platform'])

  const lost = await aLiveMember()
  const none = withCalls(lost.connector, {
    billing: {
      listChargesSince: async () => ({ ok: true, value: { items: [], withheld: [], oldestAt: null, after: null } }),
      findAttempts: async (ids) => {
        const found = theValue(await lost.connector.billing.findAttempts(ids))
        return { ok: true, value: new Map([...found].map(([id, one]) => [id, { ...one, state: 'failed' as const }])) }
      }
    }
  })
  assert.deepEqual(
    (await lost.audit(none)).messages,
    Array(2).fill('is a success here, and the platform has no charge for it')
  )
})

test('a charge that is paid there and still pending here has no amount to compare yet', async () => {
  const member = await aLiveMember()
  await member.goTo('2026-04-30T14:00:00Z')
  await member.open()
  await member.submit()
  await member.goTo('2026-04-30T14:05:00Z')
  // What was requested: the platform adds the tax.
  await member.inStore(({ tx }) =>
    tx.run(
      sql`update billing_attempts set amount_minor = 2700 where store_id = ${member.storeId} and status = 'pending'`
    )
  )
  // The charge of February is older than what is read.
  assert.deepEqual(await member.audit(), AGREE)
})

test('amounts in two currencies are not compared, and the auditor says so', async () => {
  const member = await aLiveMember()
  await member.set(`currency = 'EUR', amount_minor = 2600`)
  const notCompared = '2 charges on the platform are in another currency than ours: their amounts were not compared'
  assert.deepEqual(await member.audit(), { ...AGREE, notChecked: [notCompared] })
  const { findings, not_checked } = await member.doctor()
  assert.deepEqual(
    findings.filter(({ check }) => check === 'platform_charges_agree'),
    []
  )
  assert.deepEqual(
    not_checked.map(({ message }) => message),
    [notCompared]
  )
})

test('the period of a charge that somebody else made, or whose time is withheld, is ours without the fraction of its second', async () => {
  const member = await aLiveMember()
  await member.set(`cycle_at = cycle_at + interval '0.4 seconds'`)
  const { items } = theValue(
    await member.connector.billing.listChargesSince(Temporal.Instant.from('2026-01-01T00:00:00Z'), null)
  )
  const [third] = items
  const again = { ...third!, attemptId: '77', idempotencyKey: 'again', orderId: '78' }
  for (const known of [{ idempotencyKey: 'of-the-staff' }, { periodAt: null }]) {
    const { messages } = await member.audit(listing(member, { items: [{ ...third!, ...known }, items[1]!, again] }))
    assert.deepEqual(messages, [
      'was charged under again, which we do not have as a success',
      `was charged 2 times for the period of 2026-03-31T14:00:00Z: orders ${third!.orderId}, 78`
    ])
  }
})

test('a charge of which no period is known is named as not checked, unless it is undone', async () => {
  const member = await aLiveMember()
  const { items } = theValue(
    await member.connector.billing.listChargesSince(Temporal.Instant.from('2026-01-01T00:00:00Z'), null)
  )
  const unknown = { ...items[0]!, attemptId: '77', idempotencyKey: 'other', orderId: '78', periodAt: null }
  const undone = { ...unknown, attemptId: '79', isUndone: true }
  assert.deepEqual(await member.audit(listing(member, { items: [...items, unknown, undone] })), {
    messages: ['was charged under other, which we do not have as a success'],
    notChecked: [
      '1 charges on the platform have no time of a billing period that we may read: whether their periods were charged twice is not known'
    ],
    checked: 4
  })
})

test('what is too much, or does not respond, is not looked at, and the auditor says so', async () => {
  const member = await aLiveMember()
  let calls = 0
  // Pages of one charge each, newest first.
  const small = (connector: Connector) =>
    withCalls(connector, {
      billing: {
        findAttempts: () => assert.fail('nothing is missing'),
        listChargesSince: async (since, after) => {
          calls++
          const all = theValue(await connector.billing.listChargesSince(since, null))
          const at = after === null ? 0 : Number(after)
          const item = all.items[at]!
          const oldestAt = item.periodAt!.add({ minutes: 1 })
          return {
            ok: true,
            value: { items: [item], withheld: [], oldestAt, after: at + 1 < all.items.length ? String(at + 1) : null }
          }
        }
      }
    })
  assert.deepEqual(await member.audit(small(member.connector)), AGREE)
  calls = 0
  const some = await member.audit(small(member.connector), { ...CHARGE_LIMITS, calls: 1 })
  assert.deepEqual(
    [calls, some.messages, some.checked, some.notChecked.length],
    [1, [], 1, 1],
    'what is older is not missed'
  )
  assert.match(
    some.notChecked[0]!,
    /^charges on the platform from \S+ to 2026-03-31T14:01:01Z were not looked at: they take more than 1 calls$/
  )

  const down = withCalls(member.connector, {
    billing: { listChargesSince: async () => ({ ok: false, failure: { kind: 'unavailable', message: 'It is down' } }) }
  })
  const broken = await member.audit(down)
  assert.deepEqual([broken.messages, broken.notChecked.length], [[], 1])
  assert.match(broken.notChecked[0]!, /were not looked at: It is down$/)

  const hanging = withCalls(member.connector, { billing: { listChargesSince: () => new Promise(() => {}) } })
  const late = await member.audit(hanging, { ...CHARGE_LIMITS, ms: 100 })
  assert.match(late.notChecked[0]!, /the platform did not respond within 0.075 s$/)
})

test('charges whose orders are withheld are said not to be checked, and nothing is said of ours', async () => {
  const member = await aLiveMember()
  const { items } = theValue(
    await member.connector.billing.listChargesSince(Temporal.Instant.from('2026-01-01T00:00:00Z'), null)
  )
  const withheld = items.map(({ contractId, attemptId, idempotencyKey }) => ({ contractId, attemptId, idempotencyKey }))
  const none = listing(member, { withheld }, () => assert.fail('they are there'))
  const notRead = '2 charges on the platform may not be read by us: their orders are withheld, or parts of them'
  assert.deepEqual(await member.audit(none), { messages: [], notChecked: [notRead], checked: 0 })
})

test('of ours that are missing at most a hundred are asked for, within what is left of the limits', async () => {
  const member = await aLiveMember()
  await addSuccesses(member, 128)
  const asked: number[] = []
  const none = (find: Connector['billing']['findAttempts'] = async () => ({ ok: true, value: new Map() })) =>
    listing(member, {}, (ids, priority) => {
      asked.push(ids.length)
      assert.equal(priority, 'low')
      return find(ids)
    })
  const notAsked = (count: number, why: string) =>
    `${count} charges that are successes here were not among those of the platform, and were not asked for: ${why}`
  const notFound = (count: number) => `${count} charges that are successes here were not found on the platform`

  const all = await member.audit(none())
  assert.deepEqual(asked.splice(0), [40, 40, 20])
  assert.deepEqual(all.notChecked, [notFound(100), notAsked(30, '100 are asked for at most')])

  const few = await member.audit(none(), { ...CHARGE_LIMITS, calls: 2 })
  assert.deepEqual(asked.splice(0), [40], 'the page was the other call')
  assert.deepEqual(few.notChecked, [notFound(40), notAsked(90, 'they take more than 2 calls')])

  const hanging = none(() => new Promise(() => {}))
  const late = await member.audit(hanging, { ...CHARGE_LIMITS, ms: 1_000 })
  assert.deepEqual(late.notChecked, [notAsked(130, 'the platform did not respond within 1 s')])
  const down = await member.audit(
    none(async () => ({ ok: false, failure: { kind: 'unavailable', message: 'It is down' } }))
  )
  assert.deepEqual(down.notChecked, [notAsked(130, 'It is down')])
})

test('what is missing is asked for, also where the pages would take all calls and all the time', async () => {
  const member = await aLiveMember()
  await addSuccesses(member, 100)
  const asked: string[] = []
  const missing = (listChargesSince: Connector['billing']['listChargesSince']) =>
    withCalls(member.connector, {
      billing: {
        listChargesSince: (...args) => {
          asked.push('page')
          return listChargesSince(...args)
        },
        findAttempts: async () => {
          asked.push('ours')
          return { ok: true, value: new Map() }
        }
      }
    })
  const oldestAt = Temporal.Instant.from('2026-01-01T00:00:00Z')
  const endless = missing(async () => ({ ok: true, value: { items: [], withheld: [], oldestAt, after: 'more' } }))
  const { notChecked } = await member.audit(endless, { ...CHARGE_LIMITS, calls: 5 })
  assert.deepEqual(asked.splice(0), ['page', 'page', 'ours', 'ours', 'ours'])
  assert.match(notChecked[0]!, /: they take more than 2 calls$/)
  let pages = 0
  const slow = missing(() =>
    pages++ === 0
      ? Promise.resolve({ ok: true, value: { items: [], withheld: [], oldestAt, after: 'more' } })
      : new Promise(() => {})
  )
  await member.audit(slow, { ...CHARGE_LIMITS, ms: 2_000 })
  assert.deepEqual(asked, ['page', 'page', 'ours', 'ours', 'ours'])
})

test('what was sent after reading began is not missing', async () => {
  const member = await aLiveMember()
  await addSuccesses(member, 3, "submitted_at + interval '1 day'")
  assert.deepEqual(await member.audit(), AGREE)
})

test('a second payment under the key of one that is known is not that one', async () => {
  const member = await aLiveMember()
  const { items } = theValue(
    await member.connector.billing.listChargesSince(Temporal.Instant.from('2026-01-01T00:00:00Z'), null)
  )
  const again = { ...items[0]!, attemptId: '77', orderId: '78', periodAt: null }
  const { findings } = await member.inStore((ctx) => compareCharges(ctx, [...items, again]))
  assert.deepEqual(
    findings.map(({ message }) => message),
    [`was charged under ${again.idempotencyKey}, which we do not have as a success`]
  )
})

test('of ours only those are read that the platform lists, and as many as may be missing', async () => {
  const member = await aLiveMember()
  await addSuccesses(member, 200)
  const { items } = theValue(
    await member.connector.billing.listChargesSince(Temporal.Instant.from('2026-01-01T00:00:00Z'), null)
  )
  let read = 0
  const { missing, moreMissing } = await member.inStore((ctx) => {
    const many: typeof ctx.tx.many = async (row, statement) => {
      const rows = await ctx.tx.many(row, statement)
      read += rows.length
      return rows
    }
    return compareCharges({ ...ctx, tx: { ...ctx.tx, many } }, items, { limit: 5 })
  })
  assert.deepEqual([missing.length, moreMissing, read], [5, 195, 2 + 5])
  // A sandbox, all of whose charges are known.
  const { findings, not_checked } = await member.doctor()
  assert.equal(findings.filter(({ check }) => check === 'platform_charges_agree').length, 100)
  assert.deepEqual(
    not_checked.map(({ message }) => message),
    ['100 more charges that are successes here are not on the platform']
  )
})

test('the platforms of all stores together have a limit of time', async () => {
  const member = await aLiveMember()
  await db.inInstallation((tx) =>
    tx.run(sql`update stores set sandbox = false, clock_at = null where store_id = ${member.storeId}`)
  )
  const parts = { db, chargesOf: async () => [], connectorOf: async () => member.connector }
  const { not_checked } = await diagnose({ ...parts, allPlatformsMs: 0 }, publicId('store', member.storeId))
  assert.match(not_checked[0]!.message, /were not looked at: reading took 0 s$/)
  assert.ok(ALL_PLATFORMS_MS <= 120_000)
})

test('the auditor reads the platform of a store that is no sandbox', async () => {
  const member = await aLiveMember()
  await db.inInstallation((tx) =>
    tx.run(sql`update stores set sandbox = false, clock_at = null where store_id = ${member.storeId}`)
  )
  let reads = 0
  const charge = {
    contractId: member.contractId,
    attemptId: '1',
    idempotencyKey: 'unknown',
    orderId: '2',
    amountMinor: 2900,
    currency: 'USD',
    periodAt: Temporal.Instant.from(THIRD),
    isUndone: false
  }
  const other = withCalls(member.connector, {
    billing: {
      listChargesSince: async () => {
        reads++
        return { ok: true, value: { items: [charge], withheld: [], oldestAt: null, after: null } }
      }
    }
  })
  const { findings, not_checked, checked } = await member.doctor(other)
  assert.deepEqual([reads, checked.platform_charges_agree, not_checked], [1, 1, []])
  assert.ok(findings.some(({ message }) => /charged under unknown, which we do not have/.test(message)))
  const down = withCalls(member.connector, {
    billing: { listChargesSince: async () => ({ ok: false, failure: { kind: 'unavailable', message: 'It is down' } }) }
  })
  const { not_checked: left } = await member.doctor(down)
  assert.deepEqual(
    left.map(({ check, message }) => [check, /: It is down$/.test(message)]),
    [['platform_charges_agree', true]]
  )
})
