import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anAttempt, anOrder, aPlatform, json, theValue } from '../../test/fake-platform.ts'
import { parseExactJson, parseStorableJson } from './storable-json.ts'

test('characters that PostgreSQL cannot store are removed from a response of the platform', async () => {
  const order = { ...anOrder('5'), tags: ['VI\u0000P', '\ud83d'], name: '#10\u000001' }
  const paid = { __typename: 'SubscriptionBillingAttemptSuccessState' }
  const { connector } = await aPlatform((res) =>
    json(res, { data: { nodes: [anAttempt('7', paid, undefined, order)] } })
  )
  const attempt = theValue(await connector.billing.findAttempts(['7'])).get('7')!
  assert.deepEqual([attempt.order!.name, attempt.order!.tags], ['#1001', ['VIP', '\ufffd']])
})

test('every other text is parsed as JSON.parse does', () => {
  for (const text of ['"\\\\u0000 \\ud83d\\ude00 \u00e9"', '{"a":[1,true,null,"\\n"]}']) {
    assert.deepEqual(parseStorableJson(text), JSON.parse(text))
  }
  assert.throws(() => parseStorableJson('{"a":"\\u0000"'), SyntaxError)
})

test('whole numbers that JavaScript would round are the text of their digits, and nothing else changes', () => {
  const text =
    '{"id":820982911946154508, "n":[1234567890123456, -99999999999999999999 ,1.5e300],"s":"id:820982911946154508,","x":"VI\\u0000P"}'
  assert.deepEqual(parseExactJson(text), {
    id: '820982911946154508',
    n: [1234567890123456, '-99999999999999999999', 1.5e300],
    s: 'id:820982911946154508,',
    x: 'VIP'
  })
  assert.deepEqual(parseExactJson('{"id":7,"x":"a\\u0000"}'), { id: 7, x: 'a' })
})
