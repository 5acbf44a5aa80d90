// What claimed attempts are asked for at the platform, and what each answer makes of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlatformAttempt } from '#platform'
import { askPlatform } from './ask-platform.ts'
import type { ClaimedAttempt, EarlierAttempt } from './claims.ts'
import { aPlatform, byId, byKey, claimed, NOW, reported } from './platform-of-attempts.test-helper.ts'
import type { SubmitOutcome } from './submit-outcome.ts'

const KEY = 'svc-1-2-3'
const ITSELF = { submittedBefore: NOW }
const CALLED_PAID = { errorCode: 'INVOICE_ALREADY_PAID' }

function inWords(outcome: SubmitOutcome): string {
  if ('unsent' in outcome) return 'unsent'
  if ('superseded' in outcome) return `superseded by ${outcome.instead.platformAttemptId}`
  if ('checked' in outcome && outcome.checked.afterSeconds === 0) return 'at once again'
  if ('checked' in outcome) return outcome.checked.isUnreached ? 'soon again' : 'checked later'
  const { result } = outcome
  const isSearched = result.state === 'failed' && result.isPaymentSearched === true
  return `${result.state} ${result.platformAttemptId} under ${result.idempotencyKey}${isSearched ? ', searched' : ''}${'external' in outcome ? ', external' : ''}`
}

/** Asks for an attempt with these earlier ones: the outcomes, and what the platform was asked. */
async function ask(
  known: PlatformAttempt[],
  earlier: EarlierAttempt[],
  over: Partial<ClaimedAttempt> = {},
  options: Parameters<typeof aPlatform>[1] & { endBy?: number | null; isEnding?: (asked: number) => boolean } = {}
) {
  const { connector, asked } = aPlatform(known, options)
  const { endBy = 5_000, isEnding = () => false } = options
  const attempts = [claimed(earlier, over)]
  const submitted = await askPlatform(connector, {
    attempts,
    now: NOW,
    endBy: async () => endBy,
    isEnding: () => isEnding(asked.length)
  })
  return { outcomes: submitted.outcomes.map(inWords), asked, isThrottled: submitted.isThrottled }
}

test('a first charge is sent at once; one that cannot end within its claim is not sent', async () => {
  const { outcomes, asked } = await ask([], [])
  assert.deepEqual([outcomes, asked], [['checked later'], [`charge ${KEY}`]])
  const late = await ask([], [], {}, { endBy: null })
  assert.deepEqual([late.outcomes, late.asked], [['soon again'], []])
})

test('when the work of the store is being ended nothing more is read or sent, and what is left is asked for at once', async () => {
  const failed = [reported('1', 'failed')]
  const calls = ['1 key-1 1', `1 ${KEY} `]
  for (const begun of [0, 1, 2]) {
    const { outcomes, asked } = await ask(failed, [byId('1')], ITSELF, {
      isEnding: (questions) => questions >= begun,
      endBy: null
    })
    assert.deepEqual([outcomes, asked], [['at once again'], calls.slice(0, begun)])
  }
  // The platform says that the cycle is paid: by what is searched for by whoever goes on.
  const charge = () => ({ kind: 'rejected', code: 'INVOICE_ALREADY_PAID' }) as const
  const paid = await ask([], [], {}, { charge, isEnding: (questions) => questions >= 1 })
  assert.deepEqual([paid.outcomes, paid.asked], [['at once again'], [`charge ${KEY}`]])
})

test('a charge after failures is sent when the platform has said that none was paid; one that may have been sent before is searched for first', async () => {
  const failed = [reported('1', 'failed'), reported('2', 'failed')]
  const retry = await ask(failed, [byId('1'), byKey('2')])
  assert.deepEqual([retry.outcomes, retry.asked], [['checked later'], ['1 key-1,key-2 1', `charge ${KEY}`]])
  const again = await ask(failed, [byId('1')], ITSELF)
  assert.deepEqual(again.asked, ['1 key-1 1', `1 ${KEY} `, `charge ${KEY}`])
  const arrived = await ask([...failed, reported('9', 'success', KEY)], [byId('1')], ITSELF)
  assert.deepEqual(arrived.outcomes, [`success 9 under ${KEY}`])
  assert.ok(!arrived.asked.includes(`charge ${KEY}`))
})

test('only a platform without points for the call is said to throttle', async () => {
  for (const [kind, isThrottled] of [
    ['throttled', true],
    ['unavailable', false]
  ] as const) {
    const sent = await ask([], [], {}, { charge: () => ({ kind }) })
    assert.deepEqual([sent.outcomes, sent.isThrottled], [['soon again'], isThrottled])
  }
})

test('an earlier payment ends the attempt before it is sent, by a key of ours or as that of somebody else', async () => {
  const earlier = [byId('1'), byId('2')]
  const byOurs = await ask([reported('1', 'failed'), reported('2', 'success')], earlier)
  assert.deepEqual([byOurs.outcomes, byOurs.asked], [['superseded by 2'], ['1 key-1,key-2 1,2']])
  const foreign = [byId('1'), { idempotencyKey: '', platformAttemptId: '5' }]
  const staff = reported('5', 'success', 'by the staff')
  const byStaff = await ask([reported('1', 'failed'), staff], foreign)
  assert.deepEqual(byStaff.outcomes, [`success 5 under ${KEY}, external`])
  const byBoth = await ask([staff, reported('1', 'success')], foreign)
  assert.deepEqual(byBoth.outcomes, ['superseded by 1'], 'ours first, and only ours are booked under their keys')
})

test('each further payment of the cycle is booked beside the first', async () => {
  const known = ['1', '2', '3'].map((id) => reported(id, 'success'))
  const { outcomes } = await ask(known, [byId('1'), byId('2'), byId('3')])
  assert.deepEqual(outcomes, ['superseded by 1', 'success 2 under key-2', 'success 3 under key-3'])
})

test('an attempt that may have been sent ends as it ended there, whatever paid its cycle', async () => {
  const earlier = [byId('1'), byId('2')]
  const paid = [reported('1', 'success'), reported('2', 'success')]
  const itself = (state: 'success' | 'pending') => ask([...paid, reported('9', state, KEY)], earlier, ITSELF)
  const others = ['success 1 under key-1', 'success 2 under key-2']
  assert.deepEqual((await itself('success')).outcomes, [...others, `success 9 under ${KEY}`])
  assert.deepEqual((await itself('pending')).outcomes, [...others, 'checked later'])
  assert.deepEqual((await ask(paid, earlier, ITSELF)).outcomes, ['superseded by 1', 'success 2 under key-2'])
  const foreign = { idempotencyKey: '', platformAttemptId: '5' }
  const staff = reported('5', 'success', 'by the staff')
  const both = await ask([staff, reported('9', 'success', KEY)], [foreign], ITSELF)
  assert.deepEqual(both.outcomes, [`success 9 under ${KEY}`])
})

test('a charge that is not wanted any more is looked for and never sent: a payment of its key counts, then what is open, then a failure', async () => {
  const look = async (...known: PlatformAttempt[]) => {
    const { outcomes, asked } = await ask(known, [byId('1')], { isWanted: false })
    assert.deepEqual(asked, [`1 ${KEY} `])
    return outcomes
  }
  const [failed, open] = [reported('7', 'failed', KEY), reported('8', 'pending', KEY)]
  assert.deepEqual(await look(), ['unsent'])
  assert.deepEqual(await look(failed), [`failed 7 under ${KEY}`])
  assert.deepEqual(await look(failed, open), ['checked later'])
  const paid = ['5', '6'].map((id) => reported(id, 'success', KEY))
  assert.deepEqual(await look(failed, open, ...paid), [`success 5 under ${KEY}`, `success 6 under ${KEY}`])
})

test('attempts whose ids are known are read together, and may be read by themselves where the platform does not answer', async () => {
  const read = async (options?: Parameters<typeof aPlatform>[1]) => {
    const { connector, asked } = aPlatform([reported('1', 'success'), reported('2', 'failed')], options)
    const attempts = ['1', '2', '3'].map((id) => claimed([], { platformAttemptId: id, idempotencyKey: `own-${id}` }))
    const { outcomes, alone } = await askPlatform(connector, {
      attempts,
      now: NOW,
      endBy: async () => 5_000,
      isEnding: () => false
    })
    const together = [...asked]
    const each = await Promise.all(alone.map(({ ask }) => ask()))
    assert.deepEqual(
      alone.flatMap((one) => one.attempts),
      alone.length > 0 ? attempts : []
    )
    return {
      outcomes: outcomes.map(inWords),
      asked: together,
      alone: each.flatMap((one) => [...one.outcomes.map(inWords), ...one.alone]),
      askedAlone: asked.slice(1)
    }
  }
  assert.deepEqual(await read(), {
    outcomes: ['success 1 under own-1', 'failed 2 under own-2', 'checked later'],
    asked: ['ids 1,2,3'],
    alone: [],
    askedAlone: []
  })
  const soon = Array(3).fill('soon again')
  assert.deepEqual(await read({ isDown: true }), {
    outcomes: soon,
    asked: ['ids 1,2,3'],
    alone: soon,
    askedAlone: ['ids 1', 'ids 2', 'ids 3']
  })
  const throttled = { isDown: true, failure: { kind: 'throttled' as const } }
  assert.deepEqual(await read(throttled), { outcomes: soon, asked: ['ids 1,2,3'], alone: [], askedAlone: [] })
})

test('where the platform calls the cycle paid its payment is searched for, and settles the attempt', async () => {
  const charge = (key: string) => ({ ...reported('9', 'failed', key), ...CALLED_PAID }) as PlatformAttempt
  const known = [reported('1', 'failed'), reported('2', 'failed')]
  const earlier = [byId('1'), byId('2')]
  const none = await ask(known, earlier, {}, { charge })
  assert.deepEqual(none.outcomes, [`failed 9 under ${KEY}, searched`])
  assert.equal(none.asked.at(-1), `cycle 1 ${NOW}`)
  const ofCycle = reported('5', 'success', 'by the staff')
  assert.deepEqual((await ask(known, earlier, {}, { charge, ofCycle })).outcomes, [`success 5 under ${KEY}, external`])
  // The earlier one is paid by the time that this one is sent.
  const changing = [...known]
  const meanwhile = (key: string) => {
    changing[1] = reported('2', 'success')
    return charge(key)
  }
  assert.deepEqual((await ask(changing, earlier, {}, { charge: meanwhile })).outcomes, ['superseded by 2'])
  const unreadable = await ask(known, earlier, {}, { charge, ofCycle: 'unreadable' })
  assert.deepEqual(unreadable.outcomes, ['soon again'])
})
