import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseStrictJson } from './strict-json.ts'

const parse = (text: string) => parseStrictJson(Buffer.from(text))

test('reads what JSON.parse reads', () => {
  fc.assert(
    fc.property(
      fc.json({
        maxDepth: 5,
        stringUnit: fc.constantFrom('a', 'é', '"', '\\', '{', '}', '[', ']', ':', ',', '\n', '😀')
      }),
      (text) => assert.deepEqual(parse(text), JSON.parse(text))
    ),
    { numRuns: 500 }
  )
})

test('takes whitespace around everything, and equal keys in different objects', () => {
  assert.deepEqual(parse(' { "a" \n:\t[ { "b" : 1 } , { "b" : 2 } ] , "c" : { "a" : 0 } } '), {
    a: [{ b: 1 }, { b: 2 }],
    c: { a: 0 }
  })
})

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

for (const [what, text, message] of [
  ['a key twice', '{"a":1,"a":2}', /the key "a" twice/],
  ['a key twice, once written with an escape', '{"a":1,"\\u0061":2}', /the key "a" twice/],
  ['a key twice in a nested object', '[{"x":{"k":1 , "k" :2}}]', /the key "k" twice/],
  ['__proto__', '{"__proto__":{"admin":true}}', /__proto__/],
  ['__proto__ with an escape', '{"a":{"\\u005f_proto__":1}}', /__proto__/],
  ['a NUL in a value', '{"a":"x\\u0000y"}', /NUL/],
  ['a NUL in a key', '{"a\\u0000":1}', /NUL/],
  ['half a surrogate pair', '{"a":"\\ud800"}', /surrogate/],
  ['33 levels', nested(33), /deeper than 32/],
  ['endless levels', '['.repeat(500_000), /deeper than 32/],
  ['no JSON', '{"a":', /not valid JSON/],
  ['nothing but space', '  ', /not valid JSON/],
  ['a byte order mark', '\ufeff{}', /not valid JSON/],
  ['NaN', '{"a":NaN}', /not valid JSON/],
  ['an open string', '{"a":"', /not valid JSON/],
  ['a string that ends in a backslash', '{"a":"\\', /not valid JSON/]
] as const) {
  test(`refuses ${what}`, () => {
    assert.throws(() => parse(text), { code: 'invalid_request', message })
  })
}

test('takes 32 levels, and brackets inside texts are none', () => {
  assert.ok(parse(nested(32)))
  assert.deepEqual(parse(`{"a":"${'['.repeat(100)}\\"{"}`), { a: `${'['.repeat(100)}"{` })
})

test('refuses bytes that are not UTF-8', () => {
  assert.throws(() => parseStrictJson(Buffer.from([0x22, 0xc3, 0x28, 0x22])), { message: /not valid UTF-8/ })
  assert.throws(() => parseStrictJson(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), { message: /not valid UTF-8/ })
})
