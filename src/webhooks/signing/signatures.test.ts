import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { numberOf } from '#kit/money'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { EVENT_TYPES } from '../public-events.ts'
import { sampleOf } from '../queue/sample-of.ts'
import { aFact, aReceiver, aSendingStore, type Received } from '../receiver.test-helper.ts'

const { db } = await testDatabase()

const headersOf = ({ headers }: Received) => headers as Record<string, string>
const signed = (secret: string, body: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** The deliveries of these payloads, each as `data.payload` of its own event, in that order. */
async function delivered(payloads: unknown[]): Promise<{ secret: string; received: Received[] }> {
  const receiver = await aReceiver()
  const store = await aSendingStore(db)
  const { secret } = await store.anEndpoint({ url: receiver.url })
  await store.record(...payloads.map((payload, n) => ({ ...aFact(n + 1), data: { n, payload } })))
  await store.settle()
  const position = ({ body }: Received) => (JSON.parse(body) as { data: { n: number } }).data.n
  const received = receiver.received.toSorted((a, b) => position(a) - position(b))
  assert.deepEqual(received.map(position), [...payloads.keys()])
  return { secret, received }
}

test('standardwebhooks verifies what comes over the wire, under a test clock too', async () => {
  const receiver = await aReceiver((_, r) => r.writeHead(receiver.received.length === 1 ? 500 : 200).end())
  const store = await aSendingStore(db, { clock: '2031-05-01T00:00:00Z' })
  const { secret } = await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1))
  await store.settle()
  await store.setClock(Temporal.Instant.from('2031-05-01T00:01:00Z'))
  await store.settle()

  const [first, second] = receiver.received
  const verifier = new Webhook(secret)
  for (const got of [first!, second!]) {
    assert.deepEqual(verifier.verify(got.body, headersOf(got)), JSON.parse(got.body))
  }
  assert.equal(second!.headers['webhook-id'], first!.headers['webhook-id'])
  assert.equal(second!.body, first!.body)

  const forged = first!.body.replace('29.5', '29.6')
  assert.throws(() => verifier.verify(forged, headersOf(first!)), /No matching signature/)
  assert.throws(
    () => verifier.verify(first!.body, { ...headersOf(first!), 'webhook-id': 'wh_1' }),
    /No matching signature/
  )
  const old = String(Number(first!.headers['webhook-timestamp']) - 301)
  assert.throws(() => verifier.verify(first!.body, { ...headersOf(first!), 'webhook-timestamp': old }), /too old/)
  const stranger = new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`)
  assert.throws(() => stranger.verify(first!.body, headersOf(first!)), /No matching signature/)
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '',
    '\u2028\u2029',
    '\u0000',
    '\ud800',
    '\udc00x',
    '🙂',
    '"\\/\b\f\n\r\t\u007f',
    '</script>',
    'é',
    'e\u0301'
  )
)
const key = fc.oneof(
  text,
  fc.constantFrom('__proto__', 'constructor', 'toString', 'toJSON', '1', '0', '-1', '01', '4294967295', '1e3', 'length')
)
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(
    1e21,
    1e20,
    123456789012345680000,
    0.1,
    1.005,
    -0,
    5e-324,
    1e-7,
    1e-6,
    1.7976931348623157e308,
    2 ** 53,
    29
  )
)
const { object: payload } = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object')
  ),
  // An own property of each name, `__proto__` too.
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries))
}))

test('a receiver that parses and stringifies before it computes the HMAC gets the bytes that were signed', async () => {
  const payloads: unknown[] = fc.sample(payload, { numRuns: 600, seed: 20270401 })
  payloads.push(JSON.parse('{"b":{"2":1,"1":2},"__proto__":{"polluted":true},"":[],"x":{},"z":[[],{},null]}'))
  const { secret, received } = await delivered(payloads)
  for (const [i, { body, headers }] of received.entries()) {
    const again = JSON.stringify(JSON.parse(body))
    assert.equal(again, body)
    assert.equal(headers['x-svc-signature'], signed(secret, again))
    assert.equal(JSON.stringify(JSON.parse(body).data.payload), JSON.stringify(JSON.parse(JSON.stringify(payloads[i]))))
  }
  assert.equal('polluted' in {}, false)
})

test('numbers that were stored in another spelling go out in the one of JavaScript', async () => {
  const receiver = await aReceiver()
  const store = await aSendingStore(db)
  await store.anEndpoint({ url: receiver.url })
  const stored = '[1.50, -0, -0.0, 1E2, 1e21, 0.1e-6, 12345678901234567890, 1.0, 100e-2]'
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`
      insert into facts (store_id, name, ordering_key, data, occurred_at)
      values (${storeId}, 'member.created', 'member:1', ${`{"2": ${stored}, "1": "\\u0041\\/"}`}, ${now})`)
  )
  await store.settle()
  const { body } = receiver.received[0]!
  assert.match(body, /"data":\{"1":"A\/","2":\[1\.5,0,0,100,1e\+21,1e-7,12345678901234567000,1,1\]\}\}$/)
  assert.equal(JSON.stringify(JSON.parse(body)), body)
})

/** One body a line; prints for each whether Python writes the same bytes again. */
const PYTHON = `
import json, sys
for line in sys.stdin.buffer.read().split(b"\\n"):
    again = json.dumps(json.loads(line), separators=(",", ":"), ensure_ascii=False)
    print(int(again.encode("utf-8", "replace") == line))
`

test('so does one in Python, but for numbers closer to 0 than our events have', async (t) => {
  if (spawnSync('python3', ['--version']).status !== 0) return t.skip('there is no python3')
  const inPython = (bodies: string[]) => {
    const { stdout, stderr, status } = spawnSync('python3', ['-c', PYTHON], { input: bodies.join('\n') })
    assert.equal(status, 0, stderr.toString())
    return stdout.toString().trim().split('\n').map(Number)
  }
  const now = Temporal.Instant.from('2027-04-01T00:00:00Z')
  const money = fc.sample(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), { numRuns: 300, seed: 1 })
  const texts = fc.sample(fc.string({ unit: 'grapheme', maxLength: 12 }), { numRuns: 300, seed: 2 })
  const { received } = await delivered([
    ...EVENT_TYPES.flatMap((type) =>
      ['EUR', 'JPY', 'KWD'].map((currency) => sampleOf(type, { currency, profile: 'platform', now }))
    ),
    ...money.map((minor) => [minor, numberOf(minor, 'EUR'), numberOf(minor, 'KWD')]),
    ...texts.map((value) => ({ [value]: value, controls: '\u0001\u001f\u007f\u2028"\\/\b\f\n\r\t' })),
    [1e21, 1.5e300, 5e-324, 1e20, 0.001, 0.0001, 2 ** 53]
  ])
  assert.deepEqual(new Set(inPython(received.map(({ body }) => body))), new Set([1]))

  // Python writes 1e-05, 1e-07 and a lone surrogate as it is.
  const different = await delivered([[0.00001], [1e-7], ['\ud800']])
  assert.deepEqual(inPython(different.received.map(({ body }) => body)), [0, 0, 0])
})
