import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { tagKey } from '#platform'
import { compareTags, type KnownTag } from './compare-tags.ts'
import { membershipTags, type PlanType } from './wanted-tags.ts'

const NOTHING = { add: [], remove: [], found: [], forget: [], problem: null }
const VIP = 'SVC: VIP: Active'
const ours = (tag: string): KnownTag => ({ tag, isOurs: true })
const theirs = (tag: string): KnownTag => ({ tag, isOurs: false })

test('the tags of a customer are those of what they hold, whatever the order and number', () => {
  const cases: [PlanType[], string[]][] = [
    [[], []],
    [['vip'], [VIP]],
    [
      ['vip', 'elite', 'vip'],
      ['SVC: Elite: Active', VIP]
    ],
    [['product'], []]
  ]
  for (const [activeTypes, tags] of cases) {
    assert.deepEqual(membershipTags({ activeTypes, isDeleted: false }), tags)
    assert.deepEqual(membershipTags({ activeTypes, isDeleted: true }), [])
  }
})

test('a wanted tag is added, and one of ours that is wanted no more is removed', () => {
  assert.deepEqual(compareTags('customer', { wanted: [VIP], known: [] }, ['gold']), { ...NOTHING, add: [VIP] })
  assert.deepEqual(compareTags('customer', { wanted: [], known: [ours(VIP)] }, [VIP, 'gold']), {
    ...NOTHING,
    remove: [VIP]
  })
  assert.deepEqual(compareTags('customer', { wanted: [VIP], known: [ours(VIP)] }, [VIP]), NOTHING)
  assert.deepEqual(compareTags('customer', { wanted: [VIP], known: [ours(VIP)] }, []), { ...NOTHING, add: [VIP] })
  assert.deepEqual(compareTags('customer', { wanted: [], known: [ours(VIP)] }, []), { ...NOTHING, forget: [VIP] })
})

test('a wanted tag that was there before us is not ours, and stays when it is wanted no more', () => {
  assert.deepEqual(compareTags('customer', { wanted: [VIP], known: [] }, [VIP]), { ...NOTHING, found: [VIP] })
  assert.deepEqual(compareTags('customer', { wanted: [], known: [theirs(VIP)] }, [VIP]), { ...NOTHING, forget: [VIP] })
})

test('upper and lower case are one tag, and the spelling of the platform stays', () => {
  const lower = VIP.toLowerCase()
  assert.deepEqual(compareTags('customer', { wanted: [VIP, lower], known: [ours(VIP)] }, [lower]), NOTHING)
  assert.deepEqual(compareTags('customer', { wanted: [VIP, lower], known: [] }, []), { ...NOTHING, add: [VIP] })
  assert.deepEqual(compareTags('customer', { wanted: [], known: [ours(VIP)] }, [lower]), {
    ...NOTHING,
    remove: [lower]
  })
})

test('what the platform would not keep is named and not sent, and a tag of ours that became such goes', () => {
  const tooLong = 'x'.repeat(41)
  const order = compareTags('order', { wanted: [tooLong, 'a,b', ' ', 'fine'], known: [] }, [])
  assert.deepEqual(order.add, ['fine'])
  assert.match(
    order.problem!,
    /41 characters, and the platform takes 40: x+\. A tag must not have a comma.*: a,b\. A tag must not be empty/
  )
  assert.equal(compareTags('order', { wanted: ['x'.repeat(40)], known: [] }, []).problem, null)
  assert.equal(compareTags('customer', { wanted: ['x'.repeat(255)], known: [] }, []).problem, null)
  assert.match(compareTags('customer', { wanted: ['x'.repeat(256)], known: [] }, []).problem!, /256 characters/)
})

test('of 250 tags none is pushed out; what is removed makes room', () => {
  const full = Array.from({ length: 250 }, (_, i) => `tag-${i}`)
  const none = compareTags('customer', { wanted: [VIP], known: [] }, full)
  assert.deepEqual(
    [none.add, none.problem],
    [[], `The customer has 250 tags, and the platform takes 250: ${VIP} has no room`]
  )
  const swapped = compareTags('customer', { wanted: [VIP], known: [ours('tag-7')] }, full)
  assert.deepEqual([swapped.add, swapped.remove, swapped.problem], [[VIP], ['tag-7'], null])
})

test('after what it says is done, nothing is left to do, and no tag of others has gone', () => {
  const tag = fc.constantFrom('a', 'A', 'b', 'B', 'c', 'svc: x', 'SVC: X', 'd,e', 'f'.repeat(41))
  const known = fc.record({ tag, isOurs: fc.boolean() })
  fc.assert(
    fc.property(
      fc.array(tag),
      fc.uniqueArray(known, { selector: (k) => tagKey(k.tag) }),
      fc.uniqueArray(tag, { selector: tagKey }),
      (wanted, before, present) => {
        const done = compareTags('order', { wanted, known: before }, present)
        const gone = new Set([...done.remove, ...done.forget].map(tagKey))
        const removed = new Set(done.remove.map(tagKey))
        const now = [...present.filter((one) => !removed.has(tagKey(one))), ...done.add]
        const after = new Map(before.filter((one) => !gone.has(tagKey(one.tag))).map((one) => [tagKey(one.tag), one]))
        for (const one of done.found) after.set(tagKey(one), theirs(one))
        for (const one of done.add) after.set(tagKey(one), ours(one))
        assert.deepEqual(compareTags('order', { wanted, known: [...after.values()] }, now), {
          ...NOTHING,
          problem: done.problem
        })
        const wereOurs = new Set(before.filter(({ isOurs }) => isOurs).map((one) => tagKey(one.tag)))
        for (const one of present) assert.ok(now.includes(one) || wereOurs.has(tagKey(one)), one)
      }
    )
  )
})
