import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchesOf, type OwnerWrite } from './plan-writes.ts'

function aWrite(kind: OwnerWrite['owner']['kind'], ownerId: number, sets: number, removes = 0): OwnerWrite {
  const keys = (count: number) => Array.from({ length: count }, (_, i) => `key_${i}`)
  const difference = { set: keys(sets), remove: keys(removes) } as unknown as OwnerWrite['difference']
  return { owner: { kind, ownerId } as OwnerWrite['owner'], platformId: String(ownerId), difference }
}

const shown = (writes: OwnerWrite[]) =>
  batchesOf(writes).map((batch) => batch.map(({ owner }) => `${owner.kind} ${owner.ownerId}`).join(', '))

test('owners are put together up to 25 metafields, and none is divided', () => {
  const writes = [
    aWrite('customer', 1, 12),
    aWrite('customer', 2, 13),
    aWrite('customer', 3, 20),
    aWrite('customer', 4, 6)
  ]
  assert.deepEqual(shown(writes), ['customer 1, customer 2', 'customer 3', 'customer 4'])
})

test('owners of different kinds are not put together, for an access scope may be missing for one', () => {
  const writes = [aWrite('customer', 1, 1), aWrite('shop', 0, 2), aWrite('customer', 2, 1), aWrite('discount', 7, 2)]
  assert.deepEqual(shown(writes), ['customer 1, customer 2', 'shop 0', 'discount 7'])
})

test('an owner of whom something is deleted is alone', () => {
  const writes = [aWrite('customer', 1, 1), aWrite('customer', 2, 1, 1), aWrite('customer', 3, 1)]
  assert.deepEqual(shown(writes), ['customer 1', 'customer 2', 'customer 3'])
})
