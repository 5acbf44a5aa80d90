import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, int, nullable, row, sql, type Tx, text } from '#kit/postgres'
import { atOnce } from '../../../test/at-once.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDueStore } from '../../../test/due-store.ts'
import { aSubscriptionLife, at } from '../../../test/subscription-life.ts'
import { insertAttempts } from '../attempts/attempt.ts'
import { checkUnsentNow } from './check-unsent-now.ts'
import { type Checked, type ClaimedAttempt, claimAttempts, claimTimes, markChecked, releaseAttempts } from './claims.ts'
import { endOfCall, extendClaims, renewClaim } from './keep-claims.ts'
import { openDueAttempts } from './open-attempts.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'
const DUE = at(SECOND)
const minutes = (n: number) => DUE.add({ minutes: n })

/** A store with open attempts that nobody has sent, oldest first. */
async function openAttempts(count: number) {
  const store = await aDueStore(db, { subscriptions: count, dueAt: DUE })
  await store.inStore((ctx) => openDueAttempts(ctx, 100))
  const { storeId, inStore } = store
  const ids = await inStore(({ tx }) =>
    tx.many(row({ id: int }), sql`select id from billing_attempts where store_id = ${storeId} order by id`)
  )
  assert.equal(ids.length, count)
  const claim = (limit = 10, owner = 1) => inStore((ctx) => claimAttempts(ctx, limit, owner))
  const stored = (id: number) =>
    inStore(({ tx }) =>
      tx.one(
        row({
          checkAt: nullable(instant),
          checks: int,
          refusals: int,
          submittedAt: nullable(instant),
          platformAttemptId: nullable(text),
          actionRequiredAt: nullable(instant),
          actionReminders: int,
          remindAt: nullable(instant),
          leaseOwner: nullable(int),
          leaseToken: int,
          leasedUntil: nullable(instant)
        }),
        sql`select * from billing_attempts where store_id = ${storeId} and id = ${id}`
      )
    )
  return { store, storeId, inStore, ids: ids.map(({ id }) => id), claim, stored }
}

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
const checked = (id: number, leaseToken: number, over: Partial<Checked> = {}): Checked => ({
  id,
  idempotencyKey: '',
  leaseToken,
  afterSeconds: 300,
  platformAttemptId: null,
  actionUrl: null,
  isConfirmed: false,
  isRefused: false,
  isUnreached: false,
  ...over
})

test('as many attempts are claimed as are wanted: those that are due for longest, and of those the oldest', async () => {
  const { inStore, storeId, ids, claim } = await openAttempts(4)
  const [first, second, third, fourth] = ids as [number, number, number, number]
  const due = (id: number, when: Temporal.Instant) =>
    inStore(({ tx }) =>
      tx.run(sql`update billing_attempts set check_at = ${when} where store_id = ${storeId} and id = ${id}`)
    )
  await due(third, minutes(-1))
  await due(first, minutes(1))
  assert.deepEqual(idsOf(await claim(2)), [second, third])
  assert.deepEqual(idsOf(await claim()), [fourth], 'one that is due now, and not the one that is due in a minute')
  assert.deepEqual(idsOf(await claim()), [])
})

test('two nodes claim at once without waiting for each other, and never the same attempt', async () => {
  const { store, ids } = await openAttempts(3)
  let claimed: number[] = []
  const second = await atOnce(
    store,
    async (ctx) => {
      claimed = idsOf(await claimAttempts(ctx, 2, 1))
    },
    (ctx) => claimAttempts(ctx, 10, 2),
    () => assert.fail('it waits for the claim of another node')
  )
  assert.deepEqual(claimed, ids.slice(0, 2))
  assert.deepEqual(second.status === 'fulfilled' && idsOf(second.value), ids.slice(2))
})

test('a claim lasts half as long again as the longest call, in real time; then the attempt is claimed again, known to have been sent', async () => {
  const { inStore, storeId, ids, claim, stored } = await openAttempts(1)
  const [id] = ids as [number]
  const began = Temporal.Now.instant()
  const [first] = await claim(10, 7)
  assert.deepEqual([first!.submittedBefore, first!.leaseToken, first!.checks], [null, 1, 0])
  const leased = await stored(id)
  assert.deepEqual([leased.leaseOwner, leased.leaseToken, leased.checks, leased.submittedAt], [7, 1, 0, DUE])
  const lasts = leased.leasedUntil!.since(began).total('seconds')
  assert.ok(lasts > 59 && lasts < 75, `${lasts} s`)
  assert.deepEqual(await claim(), [])

  await inStore(({ tx }) =>
    tx.run(sql`
      update billing_attempts set leased_until = statement_timestamp() - interval '1 second', submitted_at = ${minutes(-3)}
       where store_id = ${storeId}`)
  )
  const [again] = await claim(10, 8)
  assert.deepEqual([again!.submittedBefore, again!.leaseToken, again!.checks], [minutes(-3), 2, 0])
  assert.deepEqual((await stored(id)).submittedAt, minutes(-3))
})

test('what this process works on is not claimed again, also after its claim has run out', async () => {
  const { inStore, storeId, ids } = await openAttempts(2)
  const claim = (except: number[]) =>
    inStore((ctx) =>
      claimAttempts(
        ctx,
        1,
        1,
        40_000,
        except.map((id) => ({ id }))
      )
    )
  assert.deepEqual(idsOf(await claim([])), [ids[0]])
  await inStore(({ tx }) => tx.run(sql`update billing_attempts set leased_until = null where store_id = ${storeId}`))
  assert.deepEqual(idsOf(await claim([ids[0]!])), [ids[1]])
  assert.deepEqual(idsOf(await claim([ids[0]!])), [])
})

test('claims are extended while they are ours: not those that another process has, that have ended or were released', async () => {
  const { inStore, storeId, ids, claim, stored } = await openAttempts(5)
  const claimed = (await claim(4)) as ClaimedAttempt[]
  const [ours, ofAnother, ended, released] = ids as [number, number, number, number]
  const expired = Temporal.Now.instant().subtract({ minutes: 1 })
  const change = (id: number, set: 'expire' | 'claim' | 'end' | 'release') =>
    inStore(({ tx }) =>
      tx.run(sql`
        update billing_attempts
           set leased_until = case when ${set} = 'release' then null else ${expired}::timestamptz end,
               lease_token = lease_token + (${set} = 'claim')::int,
               status = case when ${set} = 'end' then 'failed' else status end,
               error_code = case when ${set} = 'end' then 'voided' end,
               completed_at = case when ${set} = 'end' then ${DUE}::timestamptz end,
               check_at = case when ${set} = 'end' then null else check_at end
         where store_id = ${storeId} and id = ${id}`)
    )
  await change(ours, 'expire')
  await change(ofAnother, 'claim')
  await change(ended, 'end')
  await change(released, 'release')
  assert.deepEqual(idsOf(await inStore((ctx) => extendClaims(ctx, claimed, 40_000))), [ours])
  const lasts = (await stored(ours)).leasedUntil!.since(Temporal.Now.instant()).total('seconds')
  assert.ok(lasts > 45 && lasts < 75, `${lasts} s`)
  assert.deepEqual([(await stored(ours)).leaseToken, (await stored(ours)).leaseOwner], [1, 1])
  assert.deepEqual((await stored(ofAnother)).leasedUntil!.epochMilliseconds, expired.epochMilliseconds)
  assert.equal((await stored(released)).leasedUntil, null)
  assert.equal((await stored(ids[4]!)).leasedUntil, null, 'one that was not claimed')
  // A renewal that is committed meanwhile is not shortened.
  await inStore((ctx) => extendClaims(ctx, claimed, 1_000))
  assert.ok((await stored(ours)).leasedUntil!.since(Temporal.Now.instant()).total('seconds') > 40)
})

test('an extension is one of the claims that are meant, and of no other with the same number', async () => {
  const { inStore, claim, stored } = await openAttempts(2)
  const [one, two] = (await claim()) as [ClaimedAttempt, ClaimedAttempt]
  assert.equal(one.leaseToken, two.leaseToken)
  const before = (await stored(two.id)).leasedUntil
  assert.deepEqual(idsOf(await inStore((ctx) => extendClaims(ctx, [one], 80_000))), [one.id])
  assert.deepEqual((await stored(two.id)).leasedUntil, before)
})

test('an extension does not wait for an attempt that somebody has locked', async () => {
  const { store, ids, claim, storeId } = await openAttempts(2)
  const claimed = (await claim()) as ClaimedAttempt[]
  const extended = await atOnce(
    store,
    (ctx) => ctx.tx.run(sql`update billing_attempts set refusals = 1 where store_id = ${storeId} and id = ${ids[0]!}`),
    (ctx) => extendClaims(ctx, claimed, 40_000),
    () => assert.fail('it waits')
  )
  assert.deepEqual(extended.status === 'fulfilled' && idsOf(extended.value), [ids[1]])
})

test('the end of a call follows the claim, or the renewal that it needs; one that is answered late is repeated, ten times at most', async () => {
  let now = 10_000
  const clock = () => now
  const claimedBefore = (ms: number) => now - ms
  assert.equal(await endOfCall(claimedBefore(100), 400, () => assert.fail('a new claim is renewed'), clock), now + 450)
  let renewals = 0
  const renewIn =
    (...delays: number[]) =>
    async () => {
      now += delays[renewals++] ?? 0
      return true
    }
  assert.equal(await endOfCall(claimedBefore(101), 400, renewIn(30), clock), now + 550 - 30)
  assert.equal(renewals, 1)
  renewals = 0
  const asked = now
  assert.equal(await endOfCall(claimedBefore(110), 400, renewIn(150, 101, 20), clock), asked + 251 + 550)
  assert.equal(renewals, 3)
  renewals = 0
  assert.equal(await endOfCall(claimedBefore(110), 400, renewIn(...Array(10).fill(101), 0), clock), null)
  assert.equal(renewals, 10)
  assert.equal(await endOfCall(claimedBefore(110), 400, async () => false, clock), null)
})

test('only what the given nodes have leased to read it is released; a charge that they may have sent is not', async () => {
  const { inStore, storeId, ids, claim, stored } = await openAttempts(3)
  await inStore(({ tx }) =>
    tx.run(sql`
      update billing_attempts set platform_attempt_id = id::text where store_id = ${storeId} and id <> ${ids[2]!}`)
  )
  await claim(1, 101)
  await claim(1, 102)
  await claim(1, 101)
  await db.inInstallation((tx) => tx.run(releaseAttempts([101, 103])))
  const [read, ofAnother, sent] = [await stored(ids[0]!), await stored(ids[1]!), await stored(ids[2]!)]
  assert.deepEqual([read.leaseOwner, read.leasedUntil], [null, null])
  assert.deepEqual([ofAnother.leaseOwner, sent.leaseOwner], [102, 101])
  assert.ok(ofAnother.leasedUntil && sent.leasedUntil)
  assert.deepEqual(idsOf(await claim()), [ids[0]])
})

test('the call of a charge that is sent as late as it may be ends before the claim, with time to write what it came to', () => {
  for (const maxCallMs of [400, 40_000]) {
    const { claimMs, endMs, sendMs } = claimTimes(maxCallMs)
    assert.ok(sendMs > 0)
    assert.ok(sendMs + maxCallMs <= endMs - maxCallMs / 8)
    assert.ok(endMs <= claimMs - maxCallMs / 8)
  }
})

test('a check ends the lease of its own claim; a process that has lost its lease writes nothing', async () => {
  const { inStore, storeId, ids, claim, stored } = await openAttempts(2)
  const [id, other] = ids as [number, number]
  await claim()
  const lease = (tx: Tx) =>
    tx.run(
      sql`update billing_attempts set leased_until = statement_timestamp() where store_id = ${storeId} and id = ${id}`
    )
  const mark = (over: Partial<Checked>, token = 1) =>
    inStore(async (ctx) => {
      await lease(ctx.tx)
      await markChecked(ctx, [checked(id, token, over)])
    })
  await mark({ isRefused: true }, 0)
  await mark({ isRefused: true }, 2)
  assert.equal((await stored(id)).refusals, 0)
  assert.equal((await stored(id)).leaseOwner, 1)

  await mark({ isRefused: true, platformAttemptId: '77' })
  const after = await stored(id)
  assert.deepEqual(
    [after.refusals, after.platformAttemptId, after.leaseOwner, after.leasedUntil, after.checkAt],
    [1, '77', null, null, minutes(5)]
  )
  assert.deepEqual([(await stored(other)).leaseOwner, (await stored(other)).refusals], [1, 0])
  await inStore((ctx) => markChecked(ctx, [checked(id, 1, { isRefused: true, afterSeconds: 900 })]))
  assert.deepEqual(await stored(id), after, 'what was written already is not written again')
  // Where the platform was not reached nothing was checked: the next interval grows by checks only.
  assert.equal(after.checks, 1)
  await mark({})
  assert.equal((await stored(id)).checks, 2)
  await mark({ isUnreached: true })
  assert.equal((await stored(id)).checks, 2)
  // What is known of the platform's attempt stays known.
  await mark({})
  assert.deepEqual([(await stored(id)).platformAttemptId, (await stored(id)).refusals], ['77', 1])
  await mark({ platformAttemptId: '78' })
  assert.equal((await stored(id)).platformAttemptId, '78')

  await inStore(({ tx }) =>
    tx.run(sql`
      update billing_attempts set status = 'failed', error_code = 'voided', completed_at = ${DUE}, check_at = null
       where store_id = ${storeId} and id = ${id}`)
  )
  await mark({ isRefused: true })
  assert.deepEqual([(await stored(id)).refusals, (await stored(id)).checkAt], [1, null])
})

test('a check is made at the latest when the customer is reminded; a confirmed payment needs no reminder', async () => {
  const { inStore, storeId, ids, claim, stored } = await openAttempts(1)
  const [id] = ids as [number]
  await claim()
  const remind = (when: Temporal.Instant) =>
    inStore(({ tx }) =>
      tx.run(sql`
        update billing_attempts set remind_at = ${when}, action_required_at = ${DUE}, action_reminders = 2
         where store_id = ${storeId}`)
    )
  const mark = (over: Partial<Checked> = {}) =>
    inStore(async (ctx) => {
      await ctx.tx.run(
        sql`update billing_attempts set leased_until = statement_timestamp() where store_id = ${storeId}`
      )
      await markChecked(ctx, [checked(id, 1, over)])
    })
  for (const [reminder, next] of [
    [minutes(3), minutes(3)],
    [minutes(9), minutes(5)],
    [minutes(0), minutes(5)],
    [minutes(-1), minutes(5)]
  ] as const) {
    await remind(reminder)
    await mark()
    const { checkAt, remindAt, actionRequiredAt, actionReminders } = await stored(id)
    assert.deepEqual([checkAt, remindAt, actionRequiredAt, actionReminders], [next, reminder, DUE, 2], `${reminder}`)
  }
  await mark({ isConfirmed: true })
  const { remindAt, actionRequiredAt, actionReminders } = await stored(id)
  assert.deepEqual([remindAt, actionRequiredAt, actionReminders], [null, null, 0])
})

test('a retry names the earlier attempts of its cycle that were sent, in their order, and no others', async () => {
  const life = await aSubscriptionLife(db)
  const { storeId } = life
  const wanted = async () => {
    await life.inStore(({ tx }) =>
      tx.run(sql`
        update billing_attempts set leased_until = null, check_at = scheduled_at
         where store_id = ${storeId} and status = 'pending'`)
    )
    return (await life.inStore((ctx) => claimAttempts(ctx, 10, 1))).at(-1)!
  }
  // A cycle before this one, with a declined attempt of its own.
  await life.goTo(SECOND)
  await life.bill()
  await life.decline('INSUFFICIENT_FUNDS')
  await life.retry((await life.attempts())[0]!.id)
  await life.pay()
  await life.goTo('2026-03-31T15:00:00Z')
  await life.open()
  assert.deepEqual((await wanted()).earlier, [])
  await life.decline('INSUFFICIENT_FUNDS')
  await life.retry((await life.attempts()).at(-1)!.id)
  const keys = async () =>
    (
      await life.inStore(({ tx }) =>
        tx.many(
          row({ key: text, cycle: int }),
          sql`select idempotency_key as key, cycle_index as cycle from billing_attempts where store_id = ${storeId} order by id`
        )
      )
    )
      .filter(({ cycle }) => cycle === 3)
      .map(({ key }) => key)
  const known = async () => (await wanted()).earlier.map(({ idempotencyKey }) => idempotencyKey)
  const [first] = await keys()
  assert.deepEqual(await known(), [first])
  await life.decline('INSUFFICIENT_FUNDS')
  await life.retry((await life.attempts()).at(-1)!.id)
  const [, second, third] = await keys()
  assert.ok(third)
  assert.deepEqual(await known(), [first, second])

  await life.inStore(({ tx }) =>
    tx.run(sql`
      update billing_attempts set error_code = 'superseded' where store_id = ${storeId} and idempotency_key = ${first!}`)
  )
  assert.deepEqual(await known(), [second])
  await life.inStore(({ tx }) =>
    tx.run(sql`
      update billing_attempts set submitted_at = null where store_id = ${storeId} and idempotency_key = ${second!}`)
  )
  assert.deepEqual(await known(), [])
})

test('earlier attempts are known by their keys, payments that are not ours by their ids, and neither of another subscription', async () => {
  const { inStore, storeId, ids, claim } = await openAttempts(2)
  await inStore(async (ctx) => {
    await ctx.tx.run(sql`
      update billing_attempts set status = 'failed', error_code = 'INSUFFICIENT_FUNDS', check_at = null, submitted_at = ${DUE},
             completed_at = ${DUE}, other_payment_id = case when id = ${ids[0]!} then '55' end
       where store_id = ${storeId}`)
    const rows = await ctx.tx.many(
      row({ subscriptionId: int, contract: text }),
      sql`
      select s.id as subscription_id, s.platform_contract_id as contract from subscriptions s
        join billing_attempts a on a.store_id = ${storeId} and a.subscription_id = s.id
       where s.store_id = ${storeId} order by a.id`
    )
    await insertAttempts(
      ctx,
      rows.map(({ subscriptionId, contract }) => ({
        subscriptionId,
        platformContractId: contract,
        cycle: 2,
        cycleAt: DUE,
        amountMinor: 2900,
        currency: 'USD',
        attemptsRemaining: 1
      }))
    )
  })
  const claimed = await claim()
  const [first, second] = claimed.map(({ idempotencyKey }) => idempotencyKey.replace(/2$/, '1'))
  assert.deepEqual(
    claimed.map(({ earlier }) => earlier),
    [
      [
        { idempotencyKey: first, platformAttemptId: null },
        { idempotencyKey: '', platformAttemptId: '55' }
      ],
      [{ idempotencyKey: second, platformAttemptId: null }]
    ]
  )
})

test('a charge is wanted while its subscription is active, for its cycle or a later one, and a past due one when it is due again', async () => {
  const { inStore, storeId, claim } = await openAttempts(1)
  const isWanted = async (change: (store: number) => ReturnType<typeof sql>) => {
    await inStore(({ tx }) => tx.run(change(storeId)))
    const [claimed] = await claim()
    await inStore(({ tx }) => tx.run(sql`update billing_attempts set leased_until = null where store_id = ${storeId}`))
    return claimed!.isWanted
  }
  const nothing = (s: number) => sql`update subscriptions set updated_at = updated_at where store_id = ${s}`
  assert.equal(await isWanted(nothing), true)
  assert.equal(await isWanted((s) => sql`update billing_attempts set cycle_index = 3 where store_id = ${s}`), true)
  assert.equal(await isWanted((s) => sql`update billing_attempts set cycle_index = 1 where store_id = ${s}`), false)
  await inStore(({ tx }) => tx.run(sql`update billing_attempts set cycle_index = 2 where store_id = ${storeId}`))
  for (const [due, wanted] of [
    [DUE, true],
    [minutes(1), false],
    [minutes(-1), true]
  ] as const) {
    const pastDue = (s: number) =>
      sql`update subscriptions set past_due_cycle = 2, billing_due_at = ${due} where store_id = ${s}`
    assert.equal(await isWanted(pastDue), wanted, `past due, due at ${due}`)
  }
})

test('a claim is renewed for another call while it is ours and its charge is wanted, and no other claim with it', async () => {
  const { inStore, storeId, claim, stored, ids } = await openAttempts(2)
  const [one, two] = (await claim()) as [ClaimedAttempt, ClaimedAttempt]
  assert.deepEqual(idsOf([one, two]), ids)
  const before = (await stored(two.id)).leasedUntil
  const renew = (leaseToken = one.leaseToken) => inStore((ctx) => renewClaim(ctx, { id: one.id, leaseToken }, 40_000))
  assert.equal(await renew(), true)
  assert.deepEqual((await stored(two.id)).leasedUntil, before)
  assert.equal(await renew(one.leaseToken + 1), false)
  const whose = one.subscriptionId
  const unwanted = [
    sql`update subscriptions set next_cycle = 3 where store_id = ${storeId} and id = ${whose}`,
    sql`update subscriptions set next_cycle = 2, status = 'paused', paused_at = ${DUE}, next_billing_at = null
         where store_id = ${storeId} and id = ${whose}`,
    sql`update subscriptions set status = 'active', paused_at = null, past_due_cycle = 2, billing_due_at = ${minutes(1)},
               next_billing_at = ${minutes(1)} where store_id = ${storeId} and id = ${whose}`
  ]
  for (const change of unwanted) {
    await inStore(({ tx }) => tx.run(change))
    assert.equal(await renew(), false)
  }
  await inStore(({ tx }) =>
    tx.run(sql`update subscriptions set billing_due_at = ${DUE} where store_id = ${storeId} and id = ${whose}`)
  )
  assert.equal(await renew(), true, 'the past due cycle is due again')
  await inStore(({ tx }) =>
    tx.run(sql`
      update billing_attempts set status = 'failed', error_code = 'voided', completed_at = ${DUE}, check_at = null
       where store_id = ${storeId} and id = ${one.id}`)
  )
  assert.equal(await renew(), false)
})

test('a claim says whether the customer was asked to confirm; nothing is claimed where a store is held', async () => {
  const { inStore, storeId, ids, claim } = await openAttempts(2)
  await inStore(({ tx }) =>
    tx.run(sql`
      update billing_attempts set action_required_at = ${DUE} where store_id = ${storeId} and id = ${ids[1]!}`)
  )
  const set = (restoredAt: Temporal.Instant | null) =>
    inStore(({ tx }) => tx.run(sql`update stores set restored_at = ${restoredAt} where store_id = ${storeId}`))
  await set(DUE)
  assert.deepEqual(await claim(), [])
  await set(null)
  assert.deepEqual(
    (await claim()).map(({ isActionRequired }) => isActionRequired),
    [false, true]
  )
})

test('when what kept them from the platform is over, charges that it has not received are asked for at once, and no others', async () => {
  const { storeId, inStore, ids, stored } = await openAttempts(6)
  const [unsent, due, ended, known, confirming, inHand] = ids as [number, number, number, number, number, number]
  const later = minutes(30)
  const change = (id: number, to: { checkAt?: Temporal.Instant; known?: string; asked?: boolean; leased?: boolean }) =>
    inStore(({ tx, now }) =>
      tx.run(sql`
        update billing_attempts
           set check_at = ${to.checkAt ?? later}, platform_attempt_id = ${to.known ?? null},
               action_required_at = ${to.asked ? now : null}, leased_until = ${to.leased ? later : null}
         where store_id = ${storeId} and id = ${id}`)
    )
  await change(unsent, {})
  await change(due, { checkAt: minutes(-5) })
  await inStore(({ tx, now }) =>
    tx.run(sql`
      update billing_attempts set status = 'failed', error_code = 'voided', completed_at = ${now}, check_at = null
       where store_id = ${storeId} and id = ${ended}`)
  )
  await change(known, { known: '77' })
  await change(confirming, { asked: true })
  await change(inHand, { leased: true })
  assert.equal(await inStore(checkUnsentNow), 1)
  const checks = await Promise.all(ids.map(async (id) => (await stored(id)).checkAt))
  assert.deepEqual(checks, [DUE, minutes(-5), null, later, later, later])
  assert.equal(await inStore(checkUnsentNow), 0)
})
