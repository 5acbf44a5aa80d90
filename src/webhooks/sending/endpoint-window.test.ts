import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adapt, newWindow, paceOf } from './endpoint-window.ts'

const LIMITS = { perEndpoint: 8, slowMs: 2_000 }

test('the average follows the responses, up and down, a quarter of the way each time', () => {
  const window = newWindow({ storeId: 1, failing: false }, LIMITS)
  assert.equal(paceOf(window, LIMITS), 'unknown')
  adapt(window, { ms: 1_000 }, LIMITS)
  assert.deepEqual([window.meanMs, paceOf(window, LIMITS)], [1_000, 'quick'])
  adapt(window, { ms: 6_000 }, LIMITS)
  assert.deepEqual([window.meanMs, paceOf(window, LIMITS)], [2_250, 'slow'])
  adapt(window, { ms: 250 }, LIMITS)
  assert.deepEqual([window.meanMs, paceOf(window, LIMITS)], [1_750, 'quick'])
})

test('a receiver that does not respond has half as many, and one that was not called is not judged', () => {
  const window = newWindow({ storeId: 1, failing: false }, LIMITS)
  for (let n = 0; n < 3; n++) adapt(window, { ms: 100 }, LIMITS)
  assert.deepEqual([window.limit, window.finished], [8, 3])
  adapt(window, 'not called', LIMITS)
  assert.deepEqual([window.limit, window.finished, paceOf(window, LIMITS)], [8, 3, 'quick'])
  const limits = [4, 2, 1, 1]
  for (const limit of limits) {
    adapt(window, 'none', LIMITS)
    assert.deepEqual([window.limit, paceOf(window, LIMITS)], [limit, 'silent'])
  }
  assert.equal(newWindow({ storeId: 1, failing: true }, LIMITS).limit, 1)
})
