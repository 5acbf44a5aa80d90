import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MalformedPage, readBalancePage } from './balance-page.ts'

const one = { customer_id: '7', points: 1 }
const page = (fields: object) => JSON.stringify({ balances: [one], next_cursor: null, ...fields })
const of = (fields: object) => page({ balances: [one, { customer_id: '7', points: 1, ...fields }] })

const MALFORMED: [text: string, message: string][] = [
  ['', 'the answer is not JSON'],
  ['<html>', 'the answer is not JSON'],
  ['[', 'the answer is not JSON'],
  ['[]', 'the answer must be an object'],
  ['null', 'the answer must be an object'],
  ['{}', 'balances must be a list'],
  [page({ balances: {} }), 'balances must be a list'],
  [page({ balances: Array(1001).fill(one) }), 'balances must have at most 1000 entries, as the parameter limit says'],
  [page({ balances: [one, null] }), 'balances[1] must be an object'],
  [page({ balances: [[]] }), 'balances[0] must be an object'],
  [page({ next_cursor: undefined }), 'next_cursor must be a text of 1 to 2000 characters, or null on the last page'],
  [page({ next_cursor: '' }), 'next_cursor must be a text of 1 to 2000 characters, or null on the last page'],
  [page({ next_cursor: 5 }), 'next_cursor must be a text of 1 to 2000 characters, or null on the last page'],
  [
    page({ next_cursor: 'x'.repeat(2001) }),
    'next_cursor must be a text of 1 to 2000 characters, or null on the last page'
  ],
  [page({ next_cursor: 'here' }), 'next_cursor must not be the cursor of the same page'],
  ...[undefined, null, -1, 1.5, '5', true, 1e300].map(
    (points) => [of({ points }), 'balances[1].points must be an integer from 0 to 9007199254740991'] as [string, string]
  ),
  [
    '{"balances":[{"customer_id":7,"points":9007199254740992}],"next_cursor":null}',
    'balances[0].points must be an integer from 0 to 9007199254740991'
  ],
  [of({ customer_id: undefined }), 'balances[1] must have customer_id or email'],
  [of({ customer_id: null, email: null }), 'balances[1] must have customer_id or email'],
  [of({ customer_id: 1.5 }), 'balances[1].customer_id must be a text or an integer'],
  [of({ customer_id: {} }), 'balances[1].customer_id must be a text or an integer'],
  [of({ customer_id: undefined, email: 5 }), 'balances[1].email must be a text']
]

for (const [text, message] of MALFORMED) {
  test(`${text.slice(0, 70) || 'nothing'}: ${message}`, () => {
    assert.throws(
      () => readBalancePage(text, 'here'),
      (err) => err instanceof MalformedPage && err.message === message
    )
  })
}

test('a page is read as it is meant', () => {
  const text =
    '{"balances":[{"customer_id":12345678901234567890,"points":9007199254740991},{"customer_id":"a\\u0000","points":0},{"customer_id":null,"email":"a@b.c","points":1e3,"tier":"x"},{"customer_id":7,"email":"a@b.c","points":2.0}],"next_cursor":"n"}'
  assert.deepEqual(readBalancePage(text, null), {
    balances: [
      { id: '12345678901234567890', email: null, points: 9007199254740991 },
      { id: 'a', email: null, points: 0 },
      { id: null, email: 'a@b.c', points: 1000 },
      { id: '7', email: null, points: 2 }
    ],
    nextCursor: 'n'
  })
  assert.deepEqual(readBalancePage('{"balances":[],"next_cursor":null}', 'here'), { balances: [], nextCursor: null })
})
