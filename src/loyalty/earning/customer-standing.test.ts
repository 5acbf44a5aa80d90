import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFor, NEW_CUSTOMER } from './customer-standing.ts'

const ADA = { ...NEW_CUSTOMER, isMember: true, tierId: 3, tags: ['vip'] }

/** Whether a rule is for Ada, who is a member of tier 3 with a tag, and for somebody of whom nothing is known. */
function isForBoth(settings: object, tierIds: number[] = []): [boolean, boolean] {
  const customer_settings = { apply_to: 'all', action: 'include', tags: [], ...settings }
  const rule = { rules: { customer_settings, tier_ids: tierIds } } as unknown as Parameters<typeof isFor>[0]
  return [isFor(rule, ADA), isFor(rule, NEW_CUSTOMER)]
}

test('a rule is for those whom it names, or for everybody else, and of these for those in one of its tiers', () => {
  assert.deepEqual(isForBoth({}), [true, true])
  assert.deepEqual(isForBoth({ action: 'exclude' }), [false, false])
  assert.deepEqual(isForBoth({ apply_to: 'members' }), [true, false])
  assert.deepEqual(isForBoth({ apply_to: 'members', action: 'exclude' }), [false, true])
  assert.deepEqual(isForBoth({ apply_to: 'non_members' }), [false, true])
  assert.deepEqual(isForBoth({ apply_to: 'non_members', action: 'exclude' }), [true, false])
  assert.deepEqual(isForBoth({ apply_to: 'tags', tags: ['Staff', 'VIP'] }), [true, false])
  assert.deepEqual(isForBoth({ apply_to: 'tags', tags: ['Staff'] }), [false, false])
  assert.deepEqual(isForBoth({ apply_to: 'tags', tags: ['VIP'], action: 'exclude' }), [false, true])
  assert.deepEqual(isForBoth({}, [1, 3]), [true, false])
  assert.deepEqual(isForBoth({}, [1]), [false, false])
  assert.deepEqual(isForBoth({ apply_to: 'non_members' }, [3]), [false, false])
})
