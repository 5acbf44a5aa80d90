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
  ['a number that rounding would make another', '{"a":5.0000000000000000000000001}', /number 5\.0{24}1 at "a", which/],
  ['the exact value of a double, written out', '{"a":{"b":0.10000000000000000555}}', /555 at "a\.b"/],
  ['an integer beyond 2^53 between doubles', '[{"a":1},9007199254740993]', /9007199254740993, which/],
  ['a number nearer to nought than any double', '1e-400', /the number 1e-400, which is too small for a double/],
  ['a large number with decimals', '{"a":-1000000000.00000001}', /-1000000000\.00000001 at "a"/],
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

test('takes numbers however they are written, when a double keeps them', () => {
  for (const number of [
    ...[
      '0',
      '-0',
      '0.0',
      '0e9',
      '5.00',
      '1e3',
      '1E+3',
      '100e-2',
      '0.1',
      '0.30000000000000004',
      '1e-7',
      '29.990000000000000000000'
    ],
    ...[
      '123456789012345',
      '9007199254740992',
      '9007199254740991.000',
      '0.000000000000000000000000000001',
      '1e21',
      '5e-324'
    ],
    ...['1.7976931348623157e308', '10000000000000000000000000000000000000000', '1e400', '-1e999999999999999999999'],
    ...[
      '1e-307',
      '123456789012345e-322',
      '0.001e-304',
      '1e307',
      '1E0001',
      '0e-999',
      '0.000e400',
      '-0.10e-3',
      '1.5e-320'
    ]
  ]) {
    assert.deepEqual(parse(`[${number},{"a":${number}}]`), JSON.parse(`[${number},{"a":${number}}]`), number)
  }
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) =>
      assert.deepEqual(parse(JSON.stringify([number])), [number === 0 ? 0 : number])
    )
  )
})

test('what a double keeps of a number is the same as what printing the double shows', () => {
  const numbers = fc.tuple(
    fc.constantFrom('', '-'),
    fc.stringMatching(/^(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$/),
    fc.oneof(fc.constant(null), fc.integer({ min: -345, max: 270 }))
  )
  fc.assert(
    fc.property(numbers, ([sign, mantissa, exponent]) => {
      const number = `${sign}${mantissa}${exponent === null ? '' : `e${exponent}`}`
      const isKept = exactly(number) === exactly(String(Number(number)))
      if (isKept) assert.deepEqual(parse(`[${number}]`), [Number(number)])
      else assert.throws(() => parse(`[${number}]`), { message: /digits than|too small for/ }, number)
    }),
    { numRuns: 2000 }
  )
})

/** A decimal number as one integer, in units of ten to the power of -400. */
function exactly(number: string): bigint {
  const [mantissa = '', exponent = '0'] = number.split('e')
  const [whole, fraction = ''] = mantissa.split('.')
  return BigInt(whole + fraction) * 10n ** BigInt(400 + Number(exponent) - fraction.length)
}

test('the longest number is judged by its length once', () => {
  const zeros = '0'.repeat(500_000)
  assert.deepEqual(parse(`[1.${zeros}]`), [1])
  assert.throws(() => parse(`[0.1${zeros}1]`), /digits than a double keeps/)
  assert.throws(() => parse(`[0.${zeros}1]`), /too small for a double/)
  assert.throws(() => parse(`{"a":[1,2.${zeros}1]}`), /0{38}… at "a", which/)
})
