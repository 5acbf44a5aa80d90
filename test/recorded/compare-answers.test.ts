// A comparison that overlooks a changed answer would make every recorded call alike.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { compareAnswers, type Names } from './compare-answers.ts'
import { recordedCalls } from './recorded-calls.ts'

type Json = any
const FIXTURES = new URL('../fixtures/platform/', import.meta.url)
const separate = JSON.parse(await readFile(new URL('recorded-documents.json', FIXTURES), 'utf8'))
const files = (await readdir(new URL('recorded/', FIXTURES), { recursive: true })).filter((name) =>
  name.endsWith('.json')
)

const none = (): Names => ({ ours: new Map(), theirs: new Map() })
const differ = (expected: Json, actual: Json, given = '') =>
  compareAnswers({ expected, actual, given, names: none(), isReduced: false })

test('every recorded answer equals itself, and differs from itself with any one value changed', async () => {
  let changes = 0
  for (const name of files) {
    const file = JSON.parse(await readFile(new URL(`recorded/${name}`, FIXTURES), 'utf8'))
    for (const { at, answer } of recordedCalls(name, file, separate).calls) {
      assert.deepEqual(differ(answer, answer), [], `${name}${at}`)
      for (const [place, changed] of changedAnswers(answer)) {
        changes++
        assert.notDeepEqual(differ(answer, changed), [], `${name}${at}: ${place} was changed unnoticed`)
      }
    }
  }
  assert.ok(changes > 10_000, `${changes} changes`)
})

/** The answer with one value changed, for values that the platform does not choose itself. */
function* changedAnswers(answer: Json): Generator<[string, Json]> {
  const copy = structuredClone({ data: answer.data, errors: answer.errors })
  const changed = function* (holder: Json, key: string, place: string): Generator<[string, Json]> {
    const value = holder[key]
    // What the store of files wants to have sent with a file.
    if (key === 'value' && /^(key|policy|x-goog-)/.test(holder.name)) return
    const others =
      typeof value === 'boolean'
        ? [!value]
        : typeof value === 'number'
          ? [value + 1]
          : typeof value === 'string'
            ? [`${value} changed`, null]
            : value === null
              ? ['something']
              : Array.isArray(value)
                ? [[...value, 'more'], null]
                : [null]
    for (const other of others) {
      holder[key] = other
      yield [`${place}.${key}`, copy]
    }
    holder[key] = value
    if (typeof value === 'object' && value !== null) {
      for (const inner of Object.keys(value)) yield* changed(value, inner, `${place}.${key}`)
    }
  }
  const skipped = new Set([
    'locations',
    'requestId',
    'startCursor',
    'endCursor',
    'cursor',
    'handle',
    'url',
    'resourceUrl',
    'legacyResourceId'
  ])
  for (const top of ['data', 'errors']) {
    if (copy[top as 'data'] === undefined) continue
    for (const found of changed(copy, top, 'answer')) {
      if (!found[0].split('.').some((part) => skipped.has(part) || CHOSEN_BY_PLATFORM.test(part))) yield found
    }
  }
}
const CHOSEN_BY_PLATFORM = /^(giftCardCode|lastCharacters|maskedCode|compareDigest|accessToken)$/

test('an id stays the same object in all answers', () => {
  const names = none()
  const id = (number: number) => ({ data: { id: `gid://shopify/Product/${number}` } })
  const compare = (theirs: number, ours: number) =>
    compareAnswers({ expected: id(theirs), actual: id(ours), given: '', names, isReduced: false }).length
  assert.equal(compare(1, 7), 0)
  assert.equal(compare(1, 7), 0)
  assert.equal(compare(1, 8), 1)
  assert.equal(compare(2, 7), 1)
})

test('an instant that the call gave is compared, one that the platform chose is not', () => {
  const at = (text: string) => ({ data: { startsAt: text } })
  const [recorded, other] = ['2026-07-01T00:00:00Z', '2026-07-02T00:00:00Z']
  assert.equal(differ(at(recorded), at(other)).length, 0)
  assert.equal(differ(at(recorded), at(other), `{"startsAt":"${recorded}"}`).length, 1)
})

test('an error without its code, path or problems differs', () => {
  const error = { message: 'No', path: ['a'], extensions: { code: 'X', problems: [{ path: ['b'], explanation: 'c' }] } }
  for (const changed of [
    { path: ['z'] },
    { extensions: { code: 'X' } },
    { extensions: { ...error.extensions, code: 'Y' } }
  ]) {
    assert.notDeepEqual(differ({ errors: [error] }, { errors: [{ ...error, ...changed }] }), [])
  }
})
