import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  choice,
  defineSettings,
  idOrNull,
  setting,
  wholeNumber,
  wholeNumberOrNull,
  wholeNumbers,
  withChange,
  withDefaults
} from './define-settings.ts'
import { isAddressOrNetwork, isNetwork } from './process/setting-readers.ts'

const section = defineSettings('dunning', {
  graceHours: setting({ accepts: wholeNumber('hours', 1, 72), default: 24, flag: '--grace <hours>', help: 'Grace.' }),
  limit: setting({ accepts: wholeNumberOrNull('times', 1, 3), default: null, flag: '--limit <n>', help: 'Limit.' }),
  days: setting({
    accepts: wholeNumbers('days', { from: 1, to: 9, atMost: 3, isRising: true }),
    default: [1, 3],
    flag: '--days <list>',
    help: 'Days.'
  }),
  plan: setting({ accepts: idOrNull('plan', 'plan_3'), default: null, flag: '--plan <plan>', help: 'Plan.' }),
  after: setting({ accepts: choice('stop', 'go'), default: 'go' as const, flag: '--after <what>', help: 'After.' })
})

test('a setting takes its first and its last value, and nothing beyond', () => {
  const takes = (change: object) => {
    try {
      withChange(section, {}, change)
      return true
    } catch {
      return false
    }
  }
  for (const [change, isTaken] of [
    [{ graceHours: 1 }, true],
    [{ graceHours: 72 }, true],
    [{ graceHours: 0 }, false],
    [{ graceHours: 73 }, false],
    [{ graceHours: 1.5 }, false],
    [{ graceHours: '2' }, false],
    [{ graceHours: null }, false],
    [{ limit: null }, true],
    [{ limit: 3 }, true],
    [{ limit: 4 }, false],
    [{ days: [] }, true],
    [{ days: [1, 2, 9] }, true],
    [{ days: [1, 2, 3, 4] }, false],
    [{ days: [2, 2] }, false],
    [{ days: [3, 2] }, false],
    [{ days: [0] }, false],
    [{ days: [9, 10] }, false],
    [{ days: 1 }, false],
    [{ plan: 'plan_12' }, true],
    [{ plan: null }, true],
    [{ plan: 'plan_0' }, false],
    [{ plan: 'sub_12' }, false],
    [{ plan: 12 }, false],
    [{ after: 'stop' }, true],
    [{ after: 'wait' }, false]
  ] as const) {
    assert.equal(takes(change), isTaken, JSON.stringify(change))
  }
  assert.throws(() => withChange(section, {}, { graceHours: 0 }), {
    message: 'dunning.grace_hours must be a whole number of hours from 1 to 72'
  })
})

test('what is not changed stays, and what was never set has its default', () => {
  const stored = withChange(section, { other: { x: 1 } }, { graceHours: 2 })
  assert.deepEqual(stored, { other: { x: 1 }, dunning: { graceHours: 2 } })
  const changed = withChange(section, stored, { limit: 2 })
  assert.deepEqual(changed, { other: { x: 1 }, dunning: { graceHours: 2, limit: 2 } })
  assert.deepEqual(withDefaults(section, changed), { graceHours: 2, limit: 2, days: [1, 3], plan: null, after: 'go' })
  assert.deepEqual(withDefaults(section, {}), { graceHours: 24, limit: null, days: [1, 3], plan: null, after: 'go' })
})

test('a network is an address with as many bits as it may have', () => {
  for (const [entry, isOne] of [
    ['10.20.0.0/16', true],
    ['10.0.0.0/0', true],
    ['10.0.0.1/32', true],
    ['10.0.0.1/33', false],
    ['fd00::/8', true],
    ['fd00::1/128', true],
    ['fd00::1/129', false],
    ['10.0.0.0/16/8', false],
    ['10.0.0.0/', false],
    ['10.0.0.0/-1', false],
    ['10.0.0.0', false],
    ['example.com/8', false]
  ] as const) {
    assert.equal(isNetwork(entry), isOne, entry)
  }
  assert.deepEqual(['10.0.0.0', '10.0.0.0/8', 'example.com'].map(isAddressOrNetwork), [true, true, false])
})
