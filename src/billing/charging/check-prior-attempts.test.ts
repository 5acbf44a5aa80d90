// What the platform says of the earlier attempts of a cycle: a reported failure is no proof, and what cannot be read is unknown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlatformAttempt, PlatformFailure } from '#platform'
import { findPayment, findPriorPayment } from './check-prior-attempts.ts'
import type { EarlierAttempt } from './claims.ts'
import { aPlatform, byId, byKey, claimed, NOW, reported, type State } from './platform-of-attempts.test-helper.ts'
import { checkLater, checkSoon, outcomeOf, outcomeOfFailure, refusedOutcome } from './submit-outcome.ts'

const stateOf = async (
  known: PlatformAttempt[],
  earlier: EarlierAttempt[],
  options?: Parameters<typeof aPlatform>[1]
) => {
  const found = await findPriorPayment(aPlatform(known, options).connector, claimed(earlier))
  return found.state === 'paid' ? `paid by ${found.by.id}` : found.state
}

test('a cycle without earlier attempts needs no question', async () => {
  const { connector, asked } = aPlatform([])
  assert.deepEqual(await findPriorPayment(connector, claimed([])), { state: 'nothing' })
  assert.deepEqual(asked, [])
})

test('a cycle is unpaid only when each of its earlier attempts has failed or never arrived', async () => {
  const [failed, paid, pending] = [reported('1', 'failed'), reported('2', 'success'), reported('3', 'pending')]
  assert.equal(await stateOf([failed], [byId('1')]), 'nothing')
  assert.equal(await stateOf([failed], [byKey('1')]), 'nothing')
  assert.equal(await stateOf([], [byKey('1')]), 'nothing')
  assert.equal(await stateOf([], [byId('1')]), 'nothing')
  assert.equal(await stateOf([failed, paid], [byId('1'), byId('2')]), 'paid by 2')
  assert.equal(await stateOf([failed, paid], [byKey('2'), byId('1')]), 'paid by 2')
  assert.equal(await stateOf([paid], [byKey('2')]), 'paid by 2')
  assert.equal(await stateOf([paid], [{ idempotencyKey: '', platformAttemptId: '2' }]), 'paid by 2')
  assert.equal(await stateOf([failed, pending], [byId('1'), byId('3')]), 'unknown')
  assert.equal(await stateOf([pending, paid], [byId('3'), byKey('2')]), 'paid by 2')
})

test('what cannot be read is unknown, and a payment that can be read is one all the same', async () => {
  const [failed, paid] = [reported('1', 'failed'), reported('2', 'success')]
  assert.equal(await stateOf([failed], [byId('1'), byKey('2')], { unreadable: ['key-2'] }), 'unknown')
  assert.equal(await stateOf([paid], [byKey('1'), byId('2')], { unreadable: ['key-1'] }), 'paid by 2')
  assert.equal(await stateOf([paid], [byId('2')], { isDown: true }), 'unknown')
  const down = aPlatform([paid], { isDown: true })
  await findPriorPayment(down.connector, claimed([byKey('2')]))
  assert.deepEqual(down.asked, ['1 key-2 '], 'without an id there is nothing else to ask')
})

test('another attempt under a key whose attempt is known counts like that one: a key may have been sent twice', async () => {
  const failed = reported('1', 'failed')
  assert.equal(await stateOf([failed, reported('8', 'success', 'key-1')], [byId('1')]), 'paid by 8')
  for (const state of ['pending', 'action_required'] as const) {
    assert.equal(await stateOf([failed, reported('8', state, 'key-1')], [byId('1')]), 'unknown')
  }
  assert.equal(await stateOf([failed, reported('8', 'failed', 'key-1')], [byId('1')]), 'nothing')
})

test('one question finds all earlier attempts; a payment that is not ours has no key and is asked for by its id alone', async () => {
  const { connector, asked } = aPlatform([reported('1', 'failed'), reported('5', 'success', 'by the staff')])
  const foreign = { idempotencyKey: '', platformAttemptId: '5' }
  const found = await findPriorPayment(connector, claimed([byId('1'), byKey('2'), foreign]))
  assert.deepEqual([found.state === 'paid' && found.by.id, asked], ['5', ['1 key-1,key-2 1,5']])
})

test('where the platform was not reached the same is asked again after an eighth of the time, and that counts as no check', () => {
  const failures: [Partial<PlatformFailure> & Pick<PlatformFailure, 'kind'>, boolean][] = [
    [{ kind: 'unavailable' }, true],
    [{ kind: 'unavailable', code: '503' }, true],
    [{ kind: 'unavailable', code: '429' }, true],
    [{ kind: 'throttled', code: 'throttled' }, true],
    [{ kind: 'unauthorized', code: '401' }, true],
    [{ kind: 'unavailable', outcomeUnknown: true }, false],
    [{ kind: 'unavailable', code: '503', outcomeUnknown: true }, false],
    [{ kind: 'unauthorized', code: 'access_denied' }, false],
    [{ kind: 'unavailable', code: 'not_understood' }, false],
    [{ kind: 'unavailable', code: 'bad_request' }, false]
  ]
  for (const [failure, isSoon] of failures) {
    const attempt = claimed([], { checks: 2, scheduledAt: NOW.subtract({ hours: 7 }) })
    const { afterSeconds, isUnreached } = outcomeOfFailure(attempt, { message: 'no', ...failure }, NOW).checked
    const minutes = afterSeconds / 60
    assert.equal(isUnreached, isSoon, JSON.stringify(failure))
    assert.ok(isSoon ? minutes >= 26 && minutes <= 53 : minutes === 360, `${JSON.stringify(failure)}: ${minutes}`)
  }
})

test('a charge that has waited for less is sent again sooner, and charges that waited as long do not come back at once', () => {
  const after = (waited: number) =>
    checkSoon(claimed([], { scheduledAt: NOW.subtract({ minutes: waited }) }), NOW).checked.afterSeconds
  for (const [waited, most] of [
    [0, 120],
    [16, 120],
    [40, 300],
    [80, 600],
    [1_000_000, 86_400]
  ] as const) {
    const seconds = Array.from({ length: 200 }, () => after(waited))
    assert.ok(Math.min(...seconds) >= most / 2 && Math.max(...seconds) <= most, `${waited}`)
    assert.ok(new Set(seconds).size > 10)
  }
})

test('a payment of the cycle counts when nobody else than its own key or a foreign one has made it', async () => {
  const paidBy = async (key: string, attempt = claimed([])) => {
    const platform = aPlatform([], { ofCycle: reported('9', 'success', key) })
    return (await findPayment(platform.connector, attempt)).state
  }
  assert.equal(await paidBy('by the staff'), 'paid')
  assert.equal(await paidBy('svc-1-2-1'), 'paid')
  assert.equal(await paidBy('svc-1-3-1'), 'nothing')
  assert.equal(await paidBy('svc-1-21-1'), 'nothing')
  assert.equal(await paidBy('svc-11-3-1'), 'paid')
  assert.equal(await paidBy('by the staff', claimed([], { cycleAt: null })), 'nothing')
})

test('the payment of a cycle is not searched for where the earlier attempts have told', async () => {
  const platform = aPlatform([reported('2', 'success'), reported('3', 'pending')], {
    ofCycle: reported('9', 'success', 'x')
  })
  const [paid, unknown, nothing] = [
    await findPayment(platform.connector, claimed([byId('2')])),
    await findPayment(platform.connector, claimed([byId('3')])),
    await findPayment(platform.connector, claimed([]))
  ]
  assert.deepEqual([paid.state === 'paid' && paid.by.id, unknown.state], ['2', 'unknown'])
  assert.equal(nothing.state === 'paid' && nothing.by.id, '9')
  assert.deepEqual(platform.asked, ['1 key-2 2', '1 key-3 3', `cycle 1 ${NOW}`])
  const none = aPlatform([])
  assert.equal((await findPayment(none.connector, claimed([]))).state, 'nothing')
  assert.equal((await findPayment(aPlatform([], { ofCycle: 'unreadable' }).connector, claimed([]))).state, 'unknown')
})

test('a pending attempt is checked after ten minutes, an hour, six hours, and then daily', () => {
  const minutes = [0, 1, 2, 3, 4, 49].map((checks) => checkLater(claimed([], { checks })).checked.afterSeconds / 60)
  assert.deepEqual(minutes, [10, 60, 360, 1440, 1440, 1440])
  const asked = checkLater(claimed([], { isActionRequired: true })).checked
  assert.equal(asked.isConfirmed, false, 'that it is checked says nothing of a confirmation')
})

test('what the platform reports is the result of our attempt, under our key', () => {
  const attempt = claimed([], { isActionRequired: true })
  const result = (state: State) => {
    const outcome = outcomeOf(attempt, reported('5', state, 'another'))
    return 'result' in outcome ? [outcome.result.idempotencyKey, outcome.result.state] : outcome
  }
  assert.deepEqual(result('success'), ['svc-1-2-3', 'success'])
  assert.deepEqual(result('failed'), ['svc-1-2-3', 'failed'])
  for (const [isActionRequired, nextActionUrl, isConfirmed] of [
    [true, null, true],
    [true, 'https://pay.example/1', false],
    [false, null, false]
  ] as const) {
    const pending = { ...reported('5', 'pending'), nextActionUrl }
    const outcome = outcomeOf({ ...attempt, isActionRequired }, pending)
    assert.ok('checked' in outcome)
    const { id, leaseToken, platformAttemptId, actionUrl, isRefused } = outcome.checked
    assert.deepEqual([id, leaseToken, platformAttemptId, actionUrl, isRefused], [7, 4, '5', nextActionUrl, false])
    assert.equal(outcome.checked.isConfirmed, isConfirmed)
  }
})

test('a call that is refused is repeated four times, and then the attempt has failed; a refusal of the contract ends it at once', () => {
  const refused = (refusals: number, code: string | undefined) => {
    const failure = { kind: 'rejected' as const, code, message: 'no' }
    const outcome = refusedOutcome(claimed([], { refusals }), failure as never)
    return 'checked' in outcome
      ? ['again', outcome.checked.isRefused]
      : 'result' in outcome && [outcome.result.state, outcome.result.state === 'failed' && outcome.result.isRefusal]
  }
  assert.deepEqual(refused(0, 'SOMETHING_NEW'), ['again', true])
  assert.deepEqual(refused(3, undefined), ['again', true])
  assert.deepEqual(refused(4, 'SOMETHING_NEW'), ['failed', true])
  assert.deepEqual(refused(0, 'CONTRACT_PAUSED'), ['failed', true])
})
