// A contract that is new here: what it becomes, when it is charged and which events it has.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitingKeys } from '#kit/jobs'
import { int, row, sql, text } from '#kit/postgres'
import { markCustomersDeleted, upsertCustomers } from '#members'
import { listPlans, type Plan } from '#plans'
import type { PlatformContract } from '#platform'
import { listAlerts, setClock } from '#stores'
import { aContract, anOrder } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aPlan } from '../../test/plan-builder.ts'
import { aStore } from '../../test/store-builder.ts'
import { listActivity } from '../subscriptions/history/list-activity.ts'
import { lockSubscriptions, lockSubscriptionsOfContracts } from '../subscriptions/lock-subscriptions.ts'
import { pushContractJob } from '../subscriptions/platform-requests.ts'
import { findSubscriptionByContract } from '../subscriptions/queries.ts'
import { billingDate } from '../subscriptions/schedule/billing-dates.ts'
import { CREATED_HERE, type ImportTerms } from './imported-subscription.ts'
import { listHeldContracts, listLiveContracts, markContractsMissing } from './missing-contracts.ts'
import {
  abandonCreation,
  type CreationRequest,
  deletePendingCreation,
  findPendingCreation,
  finishCreationJob,
  insertPendingCreation,
  listUnansweredCreations,
  markRequestedAgain,
  markReturned
} from './pending-creations.ts'
import { quarantineContracts } from './quarantined-contracts.ts'
import { type UpsertOptions, upsertFromContracts } from './upsert-from-contracts.ts'

const { db } = await testDatabase()
const at = (text: string) => Temporal.Instant.from(text)
const START = at('2026-01-31T15:00:00Z')
const NEW_YORK = 'America/New_York'

/** A contract that was made at START and is met at `clockAt`; `trialDays` sells it under a plan that begins with a trial. */
async function met(clockAt: Temporal.Instant, given: Partial<PlatformContract>, trialDays = 0) {
  const store = await aStore(db, { clockAt, timezone: NEW_YORK })
  const plan = trialDays > 0 ? await aPlan(store, { name: 'Trial', trialDays }) : {}
  const created = aContract(START, given)
  const contract = { ...created, lines: [{ ...created.lines[0]!, ...plan }] }
  const sync = (changes: Partial<PlatformContract> = {}) =>
    store.inStore((ctx) =>
      upsertFromContracts(
        ctx,
        [{ ...contract, ...changes }],
        contract.originOrder ? [anOrder(START, { id: contract.originOrder.id })] : []
      )
    )
  await sync()
  return {
    sync,
    now: () =>
      store.inStore(async (ctx) => {
        const { id } = (await findSubscriptionByContract(ctx, contract.id))!
        return (await lockSubscriptions(ctx, [id]))[0]!
      }),
    recorded: () =>
      store.inStore(async ({ tx, storeId }) => {
        const events = await tx.many(
          row({ type: text }),
          sql`select name as type from facts where store_id = ${storeId} and name not like 'order.%' order by id`
        )
        return events.map(({ type }) => type)
      })
  }
}

test('a new contract whose order is withheld is not taken over, as its first cycle may be paid; a known one is followed', async () => {
  const withheld = { originOrder: undefined }
  await assert.rejects(met(START, withheld), /withholds the order of contract \d+, .*read_orders/)
  const { sync, now } = await met(START, {})
  await sync({ ...withheld, status: 'paused', revision: '900' })
  assert.deepEqual([(await now()).status, (await now()).cycleIndex], ['paused', 1])
})

test('one that was under way before its first message arrived is charged when the platform says, if that is still to come', async () => {
  const late = at('2026-08-10T12:00:00Z')
  const ahead = at('2026-09-03T15:00:00Z')
  for (const [clockAt, nextBillingDate, trialDays, due, dueNext] of [
    [late, ahead, 0, '2026-09-03T15:00:00Z', '2026-10-03T15:00:00Z'],
    [late, ahead, 7, '2026-09-03T15:00:00Z', '2026-10-03T15:00:00Z'],
    [late, null, 0, '2026-02-28T15:00:00Z', '2026-03-31T14:00:00Z'],
    [late, at('2026-08-01T15:00:00Z'), 0, '2026-02-28T15:00:00Z', '2026-03-31T14:00:00Z'],
    // Heard of in time: the schedule is ours.
    [START, ahead, 0, '2026-02-28T15:00:00Z', '2026-03-31T14:00:00Z'],
    [START, ahead, 7, '2026-02-07T15:00:00Z', '2026-03-07T15:00:00Z']
  ] as const) {
    const { now } = await met(clockAt, { nextBillingDate }, trialDays)
    const s = await now()
    const next = billingDate(s, s.nextCycle + 1, NEW_YORK)
    assert.deepEqual([s.nextBillingAt, s.billingDueAt, next].map(String), [due, due, dueNext], `${nextBillingDate}`)
  }
})

test('one that was under way and is met paused goes on at the date that the platform says', async () => {
  const nextBillingDate = at('2026-09-03T15:00:00Z')
  const { sync, now } = await met(at('2026-08-10T12:00:00Z'), { status: 'paused', nextBillingDate })
  assert.deepEqual([(await now()).status, (await now()).nextBillingAt], ['paused', null])
  await sync({ status: 'active', revision: '2' })
  assert.equal((await now()).nextBillingAt?.toString(), '2026-09-03T15:00:00Z')
})

test('what is paid by its checkout, or in its trial, is activated when it is met, unless it is over', async () => {
  const CREATED = ['customer.created', 'member.created', 'subscription.created']
  const ACTIVATED = [...CREATED, 'subscription.activated']
  const UNPAID = { originOrder: null, nextBillingDate: at('2026-02-10T12:00:00Z') }
  for (const [status, given, trialDays, recorded] of [
    ['active', {}, 0, ACTIVATED],
    ['paused', {}, 0, ACTIVATED],
    ['stale', {}, 0, ACTIVATED],
    ['cancelled', {}, 0, CREATED],
    ['expired', {}, 0, CREATED],
    ['active', {}, 7, ACTIVATED],
    ['paused', {}, 7, ACTIVATED],
    ['failed', {}, 7, CREATED],
    ['active', UNPAID, 0, CREATED],
    ['paused', UNPAID, 0, CREATED]
  ] as const) {
    const contract = await met(START, { status, ...given }, trialDays)
    assert.deepEqual(await contract.recorded(), recorded, `${status} ${JSON.stringify(given)} ${trialDays}`)
    if (status !== 'paused') continue
    await contract.sync({ status: 'active', revision: '2' })
    assert.deepEqual(await contract.recorded(), [...recorded, 'subscription.resumed'])
  }
})

test('a contract that was made here and has ended there before it is seen is over, and keeps no other from being seen', async () => {
  const { inStore } = await aStore(db, { clockAt: START })
  for (const status of ['cancelled', 'expired', 'failed']) {
    const creation = { createKey: status, platformCustomerId: '1', by: 'operator' as const }
    await inStore((ctx) => insertPendingCreation(ctx, { key: status, fingerprint: Buffer.from(status) }, creation))
    const nextBillingDate = at('2026-02-28T15:00:00Z')
    const ended = aContract(START, { originOrder: null, createKey: status, status, nextBillingDate })
    const other = aContract(START, { originOrder: null, nextBillingDate })
    await inStore((ctx) => upsertFromContracts(ctx, [ended, other], []))
    const shown = await inStore(async (ctx) => {
      const found = [await findSubscriptionByContract(ctx, ended.id), await findSubscriptionByContract(ctx, other.id)]
      return lockSubscriptions(
        ctx,
        found.map((one) => one!.id)
      )
    })
    assert.deepEqual(shown.map((s) => [s.status, s.cancelReason, s.billingDueAt === null]).toSorted(), [
      ['active', null, false],
      [status, 'platform', true]
    ])
  }
})

test('contracts that are gone are marked once each, and only the one that is there again is followed again', async () => {
  const { inStore, storeId } = await aStore(db, { clockAt: START })
  const statuses = ['active', 'active', 'paused', 'cancelled', 'active']
  const contracts = statuses.map((status) => aContract(START, { originOrder: null, status }))
  const [one, two, paused, over, other] = contracts.map(({ id }) => id) as [string, string, string, string, string]
  await inStore((ctx) => upsertFromContracts(ctx, contracts, []))
  const held = (...ids: string[]) => listHeldContracts(db.direct, storeId, ids)
  assert.deepEqual(
    (await held(over, one)).map(({ contractId, isLive, isMissing }) => [contractId, isLive, isMissing]),
    [
      [one, true, false],
      [over, false, false]
    ]
  )
  assert.equal(await inStore((ctx) => markContractsMissing(ctx, [one, paused, over])), 2)
  assert.equal(await inStore((ctx) => markContractsMissing(ctx, [one, two])), 1, 'the first is known to be gone')
  assert.equal(await inStore((ctx) => markContractsMissing(ctx, [over, one])), 0)
  const missing = async () =>
    (await held(one, two, paused, over, other)).map(({ isLive, isMissing }) => [isLive, isMissing].join())
  assert.deepEqual(await missing(), ['true,true', 'true,true', 'true,true', 'false,false', 'true,false'])
  await inStore((ctx) => upsertFromContracts(ctx, contracts.slice(1, 2), []))
  assert.deepEqual(await missing(), ['true,true', 'true,false', 'true,true', 'false,false', 'true,false'])
  const notes = await inStore(({ tx }) =>
    tx.many(
      row({ contractId: text, text }),
      sql`select s.platform_contract_id as contract_id, a.text from contract_activities a
            join subscriptions s on s.store_id = a.store_id and s.id = a.subscription_id
           where a.store_id = ${storeId} and a.kind = 'reconciled' order by a.id`
    )
  )
  const statusOf = async (id: string) => (await inStore((ctx) => lockSubscriptionsOfContracts(ctx, [id])))[0]!.status
  assert.deepEqual(
    [await statusOf(one), await statusOf(two), await statusOf(paused), await statusOf(other)],
    ['paused', 'active', 'paused', 'active']
  )
  const pauses = await inStore(({ tx }) =>
    tx.many(
      row({ id: text }),
      sql`select refs ->> 'subscriptionId' as id from facts where store_id = ${storeId} and name = 'subscription.paused'`
    )
  )
  assert.equal(pauses.length, 2, 'what is paused already is not paused again')
  const gone = 'The platform no longer has this contract: nothing is billed for it'
  assert.deepEqual(
    notes.map((note) => [note.contractId, note.text]),
    [
      ...[one, paused, two].map((id) => [id, gone]),
      [two, 'The platform has this contract again: it is followed as before']
    ]
  )
  const alerts = (await inStore((ctx) => listAlerts(ctx))).alerts.filter(({ kind }) => kind === 'contracts_missing')
  assert.equal(alerts.length, 2)
  assert.ok(
    alerts.some(({ message }) => message.includes(`subscriptions: ${one}, ${paused}.`)),
    alerts[1]!.message
  )
  assert.ok(
    alerts.some(({ message }) => message.includes(`subscriptions: ${two}.`)),
    alerts[0]!.message
  )
})

test('live contracts are read in the order of their numbers, from one place up to another', async () => {
  const { inStore } = await aStore(db, { clockAt: START })
  const of = (id: string, status: string) => aContract(START, { id, status, originOrder: null })
  const contracts = [
    of('9', 'active'),
    of('10', 'paused'),
    of('100', 'active'),
    of('11', 'cancelled'),
    of('2', 'active')
  ]
  await inStore((ctx) => upsertFromContracts(ctx, contracts, []))
  const live = (after: string, upTo: string | null, limit = 9) =>
    inStore((ctx) => listLiveContracts(ctx, { after, upTo, limit }))
  assert.deepEqual(await live('', null), ['2', '9', '10', '100'])
  assert.deepEqual(await live('2', '10'), ['9', '10'])
  assert.deepEqual(await live('9', '99'), ['10'])
  assert.deepEqual(await live('', null, 2), ['2', '9'])
})

test('a request to create is recognised by its key, or without one by its content until it was answered', async () => {
  const { inStore, storeId } = await aStore(db, { clockAt: START })
  const [content, others] = [Buffer.from('one'), Buffer.from('two')]
  const begin = (createKey: string, request: CreationRequest) =>
    inStore((ctx) => insertPendingCreation(ctx, request, { createKey, platformCustomerId: '1', by: 'api' }))
  const find = (key: string | null, fingerprint: Buffer) =>
    inStore((ctx) => findPendingCreation(ctx, { key, fingerprint }))
  assert.equal(await begin('a', { key: 'k', fingerprint: content }), true)
  assert.equal(await begin('b', { key: 'k', fingerprint: others }), false, 'another request with this key was first')
  const looks = await inStore((ctx) => waitingKeys(ctx, finishCreationJob, ['a', 'b']))
  assert.deepEqual([...looks], ['a'], 'its contract is looked for')
  assert.equal(await find(null, content), null, 'one with a key is found by it alone')
  assert.equal(await begin('c', { key: null, fingerprint: content }), true)
  assert.equal(await begin('d', { key: null, fingerprint: others }), true)
  const shown = async (key: string | null, fingerprint: Buffer) => {
    const found = await find(key, fingerprint)
    return found && [found.createKey, found.isOther]
  }
  assert.deepEqual(await shown('k', content), ['a', false])
  assert.deepEqual(await shown('k', others), ['a', true])
  assert.equal(await shown('another', content), null, 'a new key is a new request')
  assert.deepEqual(await shown(null, content), ['c', false])
  assert.deepEqual(await shown(null, others), ['d', false])
  await inStore((ctx) => markReturned(ctx, 'c'))
  assert.deepEqual([await shown(null, content), await shown(null, others)], [null, ['d', false]])
  assert.deepEqual(await shown('k', content), ['a', false], 'with a key it is recognised for ever')
  const keys = async () =>
    (
      await inStore(({ tx }) =>
        tx.many(
          row({ key: text }),
          sql`select create_key as key from subscription_creations where store_id = ${storeId}`
        )
      )
    ).map(({ key }) => key)
  await inStore((ctx) => deletePendingCreation(ctx, 'a'))
  assert.deepEqual((await keys()).toSorted(), ['c', 'd'])
})

test('a creation is asked for again or abandoned only when its last call is a minute ago, and not when it was found', async () => {
  const { inStore, storeId } = await aStore(db, { clockAt: START })
  const nextBillingDate = at('2026-02-28T15:00:00Z')
  const fingerprint = (key: string) => Buffer.from(key)
  for (const key of ['asked', 'found', 'other']) {
    const creation = { createKey: key, platformCustomerId: '1', by: 'api' as const }
    await inStore((ctx) => insertPendingCreation(ctx, { key, fingerprint: fingerprint(key) }, creation))
  }
  const made = aContract(START, { originOrder: null, createKey: 'found', nextBillingDate })
  await inStore((ctx) => upsertFromContracts(ctx, [made], []))
  const find = async (key: string) =>
    (await inStore((ctx) => findPendingCreation(ctx, { key, fingerprint: fingerprint(key) })))!
  const { id: madeId } = (await inStore((ctx) => findSubscriptionByContract(ctx, made.id)))!
  assert.deepEqual(
    [(await find('asked')).subscriptionId, (await find('found')).subscriptionId, (await find('other')).subscriptionId],
    [null, madeId, null]
  )
  // Another contract with the same key: the first one stays the answer.
  const twin = aContract(START, { originOrder: null, createKey: 'found', nextBillingDate })
  await inStore((ctx) => upsertFromContracts(ctx, [twin], []))
  assert.equal((await find('found')).subscriptionId, madeId)

  const open = async () =>
    (await inStore((ctx) => listUnansweredCreations(ctx, ['asked', 'found']))).map((one) => [
      one.createKey,
      one.isQuiet,
      one.isOld
    ])
  const again = async (key: string) => {
    const { id } = await find(key)
    return inStore((ctx) => markRequestedAgain(ctx, id))
  }
  const abandon = (key: string) => inStore((ctx) => abandonCreation(ctx, key))
  const aMinuteLater = () =>
    inStore(({ tx }) =>
      tx.run(sql`update subscription_creations set requested_at = requested_at - interval '61 seconds'
                  where store_id = ${storeId}`)
    )
  assert.equal((await find('asked')).isQuiet, false)
  assert.deepEqual(await open(), [['asked', false, false]])
  assert.deepEqual([await again('asked'), await abandon('asked')], [false, false])
  await aMinuteLater()
  assert.equal((await find('asked')).isQuiet, true)
  assert.deepEqual(await open(), [['asked', true, false]])
  assert.deepEqual([await again('found'), await abandon('found')], [false, false])
  assert.equal(await again('asked'), true)
  assert.deepEqual([await again('asked'), await abandon('asked')], [false, false], 'it was asked for just now')
  await inStore((ctx) => setClock(ctx, START.add({ hours: 24 }).subtract({ seconds: 1 })))
  await aMinuteLater()
  assert.deepEqual(await open(), [['asked', true, false]])
  await inStore((ctx) => setClock(ctx, START.add({ hours: 24 })))
  assert.deepEqual(await open(), [['asked', true, true]])
  assert.deepEqual([await abandon('asked'), await abandon('asked')], [true, false])
  assert.deepEqual(await open(), [])
  assert.equal((await inStore((ctx) => listUnansweredCreations(ctx, ['other']))).length, 1)
  await inStore((ctx) => deletePendingCreation(ctx, 'found'))
  assert.equal((await find('found')).subscriptionId, madeId, 'what was found stays known')
  assert.equal(await again('asked'), true, 'it is asked for once more')
  assert.deepEqual(await open(), [['asked', false, true]])
})

test('the receiver of a gift is the one customer who has the number or the address, and is not deleted', async () => {
  const { inStore } = await aStore(db, { clockAt: START })
  const person = (id: string, email: string) => ({ ...aContract(START).customer!, id, email })
  const people = [person('71', 'Bo@example.com'), person('72', 'cy@example.com'), person('73', 'CY@example.com')]
  const gone = [person('74', 'gone@example.com'), person('75', 'di@example.com')]
  const members = await inStore((ctx) => upsertCustomers(ctx, [...people, ...gone, person('76', 'DI@example.com')]))
  await inStore((ctx) => markCustomersDeleted(ctx, ['74', '75']))
  const idOf = (number: string) => members.get(number)!.id
  const bo = idOf('71')
  for (const [giftReceiver, expected] of [
    ['71', bo],
    [' 71 ', bo],
    ['gid://platform/Customer/71', bo],
    [' bo@EXAMPLE.com ', bo],
    ['cy@example.com', null],
    ['gone@example.com', null],
    ['74', null],
    ['di@example.com', idOf('76')],
    ['nobody@example.com', null],
    ['99', null],
    ['71x', null],
    ['123456789012345678901', null]
  ] as const) {
    const contract = aContract(START, { originOrder: null, giftReceiver })
    await inStore((ctx) => upsertFromContracts(ctx, [contract], []))
    const s = await inStore(async (ctx) => {
      const { id } = (await findSubscriptionByContract(ctx, contract.id))!
      const [found] = await lockSubscriptions(ctx, [id])
      const { rows } = await listActivity(ctx, id, { limit: 9, offset: 0 })
      return { receiver: found!.receiverMemberId, gifted: found!.giftedAt, texts: rows.map(({ text }) => text) }
    })
    assert.deepEqual([s.receiver, s.gifted !== null], [expected, expected !== null], giftReceiver)
    const isNoted = s.texts.includes('The contract names a receiver who is no other customer known here')
    assert.equal(isNoted, expected === null, giftReceiver)
  }
  const together = ['71', 'di@example.com', '74', null].map((giftReceiver) =>
    aContract(START, { originOrder: null, giftReceiver })
  )
  await inStore((ctx) => upsertFromContracts(ctx, together, []))
  const given = await inStore((ctx) =>
    lockSubscriptionsOfContracts(
      ctx,
      together.map((contract) => contract.id)
    )
  )
  assert.deepEqual(
    together.map((contract) => given.find((s) => s.platformContractId === contract.id)!.receiverMemberId),
    [bo, idOf('76'), null, null]
  )
  const own = aContract(START, { originOrder: null, giftReceiver: '71', customer: people[0]! })
  await inStore((ctx) => upsertFromContracts(ctx, [own], []))
  const { id } = (await inStore((ctx) => findSubscriptionByContract(ctx, own.id)))!
  assert.equal((await inStore((ctx) => lockSubscriptions(ctx, [id])))[0]!.receiverMemberId, null)
})

/** A store with a VIP plan whose cycles issue 10.00, and what contracts that were sold under it become. */
async function aShop(plan: Partial<Parameters<typeof aPlan>[1]> = {}, clockAt = START) {
  const store = await aStore(db, { clockAt, timezone: NEW_YORK })
  const { inStore, storeId } = store
  const sold = await aPlan(store, { name: 'VIP', creditMinor: 1000, ...plan })
  const [vip] = (await inStore(listPlans)) as [Plan]
  const contractOf = (over: Partial<PlatformContract> = {}, begun = START) => {
    const contract = aContract(begun, over)
    return { ...contract, lines: contract.lines.map((line) => ({ ...line, ...sold })) }
  }
  const upsert = (contracts: PlatformContract[], options: UpsertOptions = {}) =>
    inStore((ctx) =>
      upsertFromContracts(
        ctx,
        contracts,
        contracts.flatMap(({ originOrder }) => (originOrder ? [anOrder(START, { id: originOrder.id })] : [])),
        options
      )
    )
  const find = (contract: PlatformContract) =>
    inStore(async (ctx) => {
      const found = await findSubscriptionByContract(ctx, contract.id)
      return found && (await lockSubscriptions(ctx, [found.id]))[0]!
    })
  return {
    inStore,
    storeId,
    vip,
    addPlan: (name: string) => aPlan(store, { name }),
    contractOf,
    upsert,
    find,
    /** An import that takes the contract over. */
    take: (contract: PlatformContract, terms: Partial<ImportTerms> = {}) =>
      upsert([contract], { imported: new Map([[contract.id, { ...IMPORTED, ...terms }]]) }),
    isPushed: async (contract: PlatformContract) => {
      const { id } = (await find(contract))!
      return (await inStore((ctx) => waitingKeys(ctx, pushContractJob, [String(id)]))).size === 1
    },
    /** The entries of the history, oldest first. */
    history: async (contract: PlatformContract) => {
      const { id } = (await find(contract))!
      return (await inStore((ctx) => listActivity(ctx, id, { limit: 9, offset: 0 }))).rows.reverse()
    },
    credits: () =>
      inStore(({ tx }) =>
        tx.many(
          row({ operation: text, amount: int }),
          sql`select operation_id as operation, amount_minor as amount from credit_entries
               where store_id = ${storeId} and order_id is not null`
        )
      )
  }
}
const IMPORTED: ImportTerms = { ...CREATED_HERE, cyclesPaid: null, importId: 1 }
const LATER = at('2026-02-28T15:00:00Z')

test('the checkout that has paid a first cycle issues its credit, and nothing else that is new here does', async () => {
  const { contractOf, upsert, take, credits } = await aShop()
  const paid = contractOf()
  const others = [
    contractOf({ originOrder: null, nextBillingDate: LATER }),
    contractOf({ status: 'cancelled' }),
    // Others have billed it for long.
    contractOf({ nextBillingDate: LATER }, at('2025-06-30T15:00:00Z'))
  ]
  await upsert([paid, contractOf({ status: 'paused' }), ...others])
  await take(contractOf({ nextBillingDate: LATER }))
  const issued = await credits()
  assert.deepEqual(
    issued.map(({ amount }) => amount),
    [1000, 1000]
  )
  assert.ok(issued.some(({ operation }) => operation === `charge:contract_${paid.id}`))
  const trial = await aShop({ trialDays: 7 })
  await trial.upsert([trial.contractOf()])
  assert.deepEqual(await trial.credits(), [])
})

test('a contract gets the date of our first charge where it is imported or in a trial; an imported one is paused there', async () => {
  const { contractOf, upsert, take, isPushed } = await aShop()
  const pushedOf = async (terms: Partial<ImportTerms>, over: Partial<PlatformContract> = {}) => {
    const contract = contractOf({ nextBillingDate: LATER, ...over })
    await take(contract, terms)
    return isPushed(contract)
  }
  assert.equal(await pushedOf({}), false)
  assert.equal(await pushedOf({ nextBillingAt: at('2026-03-02T15:00:00Z') }), true)
  assert.equal(await pushedOf({ isPaused: true }), true)
  assert.equal(await pushedOf({ nextBillingAt: at('2026-03-02T15:00:00Z') }, { status: 'cancelled' }), false)
  const plain = contractOf({ nextBillingDate: at('2026-02-27T15:00:00Z') })
  const paused = contractOf({ status: 'paused', nextBillingDate: LATER })
  await upsert([plain, paused])
  assert.deepEqual([await isPushed(plain), await isPushed(paused)], [false, false])
  const trial = await aShop({ trialDays: 7 })
  const early = trial.contractOf({ nextBillingDate: LATER })
  const same = trial.contractOf({ nextBillingDate: at('2026-02-07T15:00:00.400Z') })
  await trial.upsert([early, same])
  assert.deepEqual([await trial.isPushed(early), await trial.isPushed(same)], [true, false])
})

test('the history says who began it, and what it costs in all', async () => {
  const { contractOf, upsert, take, history, find, inStore, vip } = await aShop()
  const shown = async (contract: PlatformContract) =>
    (await history(contract)).map(({ kind, actor, text }) => [kind, actor, text])
  const price = { priceMinor: 2900, deliveryPriceMinor: 450 }
  const paid = contractOf(price)
  const unpaid = contractOf({ originOrder: null, nextBillingDate: LATER })
  const made = contractOf({ originOrder: null, nextBillingDate: LATER, createKey: 'made' })
  const creation = { createKey: 'made', platformCustomerId: '1', by: { actor: 'api', actorId: 'k' } as const }
  await inStore((ctx) => insertPendingCreation(ctx, { key: null, fingerprint: Buffer.from('made') }, creation))
  await upsert([paid, unpaid, made])
  const created = 'Created: VIP at 33.5 USD, monthly'
  assert.deepEqual(await shown(paid), [
    ['created', 'platform', created],
    ['activated', 'platform', 'Active: its first payment is done']
  ])
  assert.equal((await find(paid))!.priceMinor, 3350)
  assert.deepEqual(await shown(unpaid), [['created', 'platform', 'Created: VIP at 29 USD, monthly']])
  assert.deepEqual(await shown(made), [['created', 'api', 'Created: VIP at 29 USD, monthly']])
  assert.equal((await history(made))[0]!.actorId, 'k')
  const imported = contractOf({ nextBillingDate: LATER })
  await take(imported)
  const entries = await history(imported)
  assert.deepEqual(
    entries.map(({ kind, actor, refs }) => [kind, actor, refs]),
    [
      [
        'imported',
        'import',
        {
          ...{ import_id: 1, status: 'active', cycles_paid: 1, name: 'VIP', price: 29, currency: 'USD' },
          ...{ frequency: 'monthly', next_billing_date: '2026-02-28T15:00:00Z', resumes_at: null }
        }
      ]
    ]
  )
  assert.equal(entries[0]!.text, 'Taken over: VIP at 29 USD, monthly; next charge on 2026-02-28')
  const paused = contractOf({ nextBillingDate: LATER })
  await take(paused, { isPaused: true, pausedUntil: at('2026-03-05T06:00:00Z') })
  assert.match((await history(paused))[0]!.text!, /; paused until 2026-03-05$/)
  const stopped = contractOf({ nextBillingDate: LATER, status: 'paused' })
  await take(stopped, { plan: vip })
  assert.match((await history(stopped))[0]!.text!, /; paused$/)
  const trial = await aShop({ trialDays: 7 })
  const begun = trial.contractOf()
  await trial.upsert([begun])
  assert.deepEqual(
    (await trial.history(begun)).map(({ text }) => text),
    ['Created: VIP at 29 USD, monthly', 'Trial until 2026-02-07']
  )
})

test('a membership is given to its receiver; products, and what has ended, are not', async () => {
  const { contractOf, upsert, take, history, find, vip, inStore, storeId } = await aShop()
  const bo = contractOf({ originOrder: null, nextBillingDate: LATER })
  await upsert([bo])
  const { memberId } = (await find(bo))!
  const giftReceiver = bo.customer!.id
  const receiverOf = async (contract: PlatformContract) => (await find(contract))!.receiverMemberId
  const [given, ended, other] = [
    contractOf({ giftReceiver }),
    contractOf({ giftReceiver, status: 'expired' }),
    aContract(START, { giftReceiver })
  ]
  await upsert([given, ended, other])
  assert.deepEqual([await receiverOf(given), await receiverOf(ended)], [memberId, null])
  assert.equal(await receiverOf(other), memberId, 'a contract without a plan')
  const last = (await history(given)).at(-1)!
  assert.deepEqual([last.kind, last.refs], ['gifted', { from: null, to: `cust_${memberId}` }])
  assert.equal(
    (await history(ended)).some(({ kind }) => kind === 'gifted'),
    false
  )
  const events = await inStore(({ tx }) =>
    tx.many(
      row({ data: text }),
      sql`select data from facts where store_id = ${storeId} and name = 'subscription.updated' order by id`
    )
  )
  assert.equal(events.length, 2)
  for (const { data } of events) assert.ok(data.includes(`cust_${memberId}`), data)

  const named = aContract(START, { giftReceiver, nextBillingDate: LATER })
  await take(named, { plan: { ...vip, type: 'product' } })
  assert.equal(await receiverOf(named), null)
  await inStore(({ tx }) =>
    tx.run(sql`update plans set type = 'product', tier_name = null, platform_product_id = null, platform_variant_id = null, product_ids = '{1}'
              where store_id = ${storeId}`)
  )
  const products = contractOf({ giftReceiver })
  await upsert([products])
  assert.equal(await receiverOf(products), null)
})

test('what an import has to do with a new contract decides who takes it over; a reconciliation takes what was sold by us', async () => {
  const { contractOf, upsert, find, history, addPlan } = await aShop()
  await addPlan('Elite')
  const sold = () => contractOf({ originOrder: null, nextBillingDate: LATER })
  const foreign = () => aContract(START, { originOrder: null, nextBillingDate: LATER })
  for (const [stake, isReconciling, contract, isOurs, isLater] of [
    [undefined, false, foreign(), true, false],
    [undefined, true, foreign(), false, false],
    [undefined, true, sold(), true, false],
    ['left', false, foreign(), false, false],
    ['left', true, foreign(), false, false],
    ['left', false, sold(), true, false],
    ['creating', false, sold(), false, true],
    ['creating', true, sold(), false, true],
    ['awaited', false, sold(), false, true],
    ['awaited', true, sold(), false, false]
  ] as const) {
    const stakes = new Map(stake ? [[contract.id, stake]] : [])
    const { changed, unsure, subscriptions } = await upsert([contract], { stakes, isReconciling })
    const found = await find(contract)
    const label = `${stake} ${isReconciling}`
    assert.deepEqual([found !== null, unsure], [isOurs, isLater ? [contract.id] : []], label)
    assert.deepEqual(
      [changed, subscriptions.get(contract.id)],
      isOurs ? [[contract.id], { id: found!.id, isNew: true }] : [[], undefined],
      label
    )
    if (!isOurs) continue
    const notes = (await history(contract)).filter(({ kind }) => kind === 'reconciled')
    assert.deepEqual(
      notes.map(({ actor, refs }) => [actor, refs]),
      isReconciling ? [['platform', { contract: contract.id, revision: '1' }]] : [],
      label
    )
    const again = await upsert([contract], { stakes: new Map([[contract.id, 'creating']]), isReconciling })
    assert.deepEqual(
      [again.changed, again.unsure, again.subscriptions.get(contract.id)],
      [[], [], { id: found!.id, isNew: false }]
    )
  }
  const one = sold()
  const foreignLine = { ...aContract(START).lines[0]!, id: '2' }
  const mixed = { ...one, lines: [...one.lines, foreignLine] }
  assert.deepEqual((await upsert([mixed], { isReconciling: true })).changed, [mixed.id], 'one of its lines is ours')
  const nobodys: PlatformContract = { ...sold(), customer: null }
  assert.deepEqual((await upsert([nobodys])).changed, [])
  const { changed } = await upsert([sold(), nobodys, sold()])
  assert.equal(changed.length, 2)
})

test('a trial of one interval keeps the day of its series; one that ends elsewhere starts another', async () => {
  const next = (after: string) => ({ originOrder: null, nextBillingDate: at(after) })
  const { contractOf, upsert, find } = await aShop({ trialType: 'next_billing_date' })
  for (const [date, first, third] of [
    ['2026-02-28T15:00:00Z', '2026-02-28T15:00:00Z', '2026-03-31T14:00:00Z'],
    ['2026-02-28T15:00:00.300Z', '2026-02-28T15:00:00Z', '2026-03-31T14:00:00Z'],
    ['2026-02-20T15:00:00Z', '2026-02-20T15:00:00Z', '2026-03-20T14:00:00Z']
  ] as const) {
    const contract = contractOf(next(date))
    await upsert([contract])
    const s = (await find(contract))!
    const dates = [s.nextBillingAt, billingDate(s, s.nextCycle + 1, NEW_YORK)].map(String)
    assert.deepEqual([...dates, s.cycleIndex], [first, third, 0])
  }
  // 28 days end on the day of the series as well, and are no interval.
  const days = await aShop({ trialDays: 28 })
  const contract = days.contractOf(next('2026-03-05T15:00:00Z'))
  await days.upsert([contract])
  const s = (await days.find(contract))!
  assert.deepEqual([s.nextBillingAt, billingDate(s, 2, NEW_YORK)].map(String), [
    '2026-02-28T15:00:00Z',
    '2026-03-28T14:00:00Z'
  ])
})

test('a date that is moved before the end of a trial during a pause ends the trial then', async () => {
  const { contractOf, upsert, find, inStore, storeId } = await aShop({ trialDays: 7 })
  const contract = contractOf({ nextBillingDate: LATER })
  await upsert([contract])
  await inStore(({ tx }) => tx.run(sql`delete from jobs where store_id = ${storeId}`))
  const end = async () => String((await find(contract))!.trialEndsAt)
  const paused = { ...contract, status: 'paused' }
  await upsert([{ ...paused, revision: '2' }])
  await upsert([{ ...paused, revision: '3', nextBillingDate: at('2026-02-09T15:00:00Z') }])
  assert.equal(await end(), '2026-02-07T15:00:00Z', 'it is not made longer')
  await upsert([{ ...paused, revision: '4', nextBillingDate: at('2026-02-05T15:00:00Z') }])
  assert.equal(await end(), '2026-02-05T15:00:00Z')
})

test('in a restored store a contract that began after the backup has the number of its next date', async () => {
  const now = at('2026-05-10T00:00:00Z')
  const nextBillingDate = at('2026-05-31T14:00:00Z')
  for (const [isRestored, date, nextCycle, anchorCycle] of [
    [true, nextBillingDate, 5, 5],
    [false, nextBillingDate, 2, 2],
    [true, now, 2, 1],
    [true, null, 2, 1]
  ] as const) {
    const { contractOf, upsert, find, inStore, storeId } = await aShop({}, now)
    if (isRestored)
      await inStore(({ tx }) => tx.run(sql`update stores set restored_at = ${now} where store_id = ${storeId}`))
    const contract = contractOf({ nextBillingDate: date })
    await upsert([contract])
    const s = (await find(contract))!
    assert.deepEqual([s.nextCycle, s.anchorCycle], [nextCycle, anchorCycle], `${isRestored} ${date}`)
  }
  // What is met before its first charge has its own numbers, restored or not.
  const { contractOf, upsert, find, inStore, storeId } = await aShop({}, at('2026-02-10T00:00:00Z'))
  await inStore(({ tx }) => tx.run(sql`update stores set restored_at = ${START} where store_id = ${storeId}`))
  const contract = contractOf({ nextBillingDate: at('2026-02-20T00:00:00Z') })
  await upsert([contract])
  assert.deepEqual([(await find(contract))!.nextCycle, (await find(contract))!.nextBillingAt], [2, LATER])
})

test('what is due at this very instant when it is met is late', async () => {
  const { contractOf, upsert, find } = await aShop({}, LATER)
  const contract = contractOf({ nextBillingDate: at('2026-03-05T15:00:00Z') })
  await upsert([contract])
  assert.equal((await find(contract))!.nextBillingAt?.toString(), '2026-03-05T15:00:00Z')
})

test('contracts that cannot be read are named once, with their last reason, and read again until they can be', async () => {
  const { inStore, storeId } = await aStore(db, { clockAt: START })
  const [a, b] = [aContract(START, { originOrder: null }), aContract(START, { originOrder: null })]
  const fail = (...reasons: [string, string][]) => inStore((ctx) => quarantineContracts(ctx, new Map(reasons)))
  const held = () =>
    inStore(({ tx }) =>
      tx.many(
        row({ id: text, reason: text }),
        sql`select contract_id as id, reason from quarantined_contracts where store_id = ${storeId} order by since, contract_id`
      )
    )
  const jobs = () =>
    inStore(({ tx }) =>
      tx.many(
        row({ key: text, runAt: text }),
        sql`select dedupe_key as key, extract(epoch from run_at)::bigint::text as run_at from jobs
             where store_id = ${storeId} and kind = 'sync-contract' order by dedupe_key`
      )
    )
  const alerts = async () => (await inStore((ctx) => listAlerts(ctx))).alerts.map(({ subject }) => subject)
  await fail()
  assert.deepEqual([await held(), await jobs(), await alerts()], [[], [], []])
  await fail([a.id, `no\0${'x'.repeat(600)}`])
  assert.deepEqual(await held(), [{ id: a.id, reason: `no${'x'.repeat(498)}` }])
  const subject = 'Contracts of the platform that could not be taken over: 1'
  assert.deepEqual(await alerts(), [subject])
  await inStore(({ tx }) =>
    tx.run(sql`update jobs set run_at = run_at + interval '6 hours' where store_id = ${storeId}`)
  )
  const waiting = await jobs()
  await fail([a.id, 'still not'], [b.id, 'nor this'])
  assert.deepEqual(
    (await held()).map(({ reason }) => reason),
    ['still not', 'nor this']
  )
  assert.deepEqual(await alerts(), [subject, subject])
  const [first, second] = await jobs()
  assert.deepEqual([first, second!.key], [waiting[0], b.id], 'the first waits for its next time')
  await fail([b.id, 'again'])
  assert.equal((await alerts()).length, 2)
  await inStore((ctx) => upsertFromContracts(ctx, [a], []))
  assert.deepEqual(await held(), [{ id: b.id, reason: 'again' }])
  // So many and such long reasons that an alert has no room for all of them.
  const long = Array.from({ length: 12 }, (_, i): [string, string] => [String(900 + i), 'y'.repeat(2_000)])
  await fail(...long)
  const { message } = (await inStore((ctx) => listAlerts(ctx))).alerts.find((one) => one.subject.endsWith(': 12'))!
  assert.ok(
    message.includes(`(contract 900: ${'y'.repeat(100)}; contract 901:`) && message.includes('; and 2 more).'),
    message
  )
})
