// Loaded before every test file (`run.ts`). Node's deepEqual takes any two Temporal values of one type for equal, since they have
// no properties of their own: without this, a test that compares a row with its instants would accept any instant.
import assert from 'node:assert/strict'
import './light-async-context.ts'

type Compare = (actual: unknown, expected: unknown, message?: string | Error) => void
const byNode = assert.deepEqual as Compare

/** As Node's, and Temporal values are equal only if they are the same time. */
const deepEqual: Compare = (actual, expected, message) => {
  // Node refuses a message that is given as undefined.
  if (message === undefined) byNode(actual, expected)
  else byNode(actual, expected, message)
  const differing = differingTimes(actual, expected, new Set())
  if (differing) assert.fail(message ?? `The times ${differing.join(' and ')} differ`)
}

Object.assign(assert, { deepEqual, deepStrictEqual: deepEqual })

/** The first two Temporal values at one place that differ. Both sides are known to have the same structure. */
function differingTimes(a: unknown, b: unknown, seen: Set<unknown>): [string, string] | null {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null || seen.has(a)) return null
  const tag = Object.prototype.toString.call(a)
  if (tag.startsWith('[object Temporal.')) return String(a) === String(b) ? null : [String(a), String(b)]
  seen.add(a)
  const pairs =
    a instanceof Map && b instanceof Map
      ? [...a].map(([key, value]) => [value, b.get(key)])
      : Object.entries(a).map(([key, value]) => [value, (b as Record<string, unknown>)[key]])
  for (const [one, other] of pairs) {
    const differing = differingTimes(one, other, seen)
    if (differing) return differing
  }
  return null
}
