import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { webhooks } from './index.ts'

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`
const OTHER = `whsec_${Buffer.from('another secret of as many bytes.').toString('base64')}`
const SENT_AT = new Date('2026-03-01T12:00:00Z')
const event = {
  event: 'member.created',
  timestamp: '2026-01-31T15:00:00.000Z',
  webhook_id: 'wh_1',
  data: { member_id: 'mem_1', customer: { first_name: 'Zoë 🎉' } }
}
const BODY = JSON.stringify(event)
const options = { now: () => SENT_AT.getTime() + 60_000 }
const headersOf = (body: string | Uint8Array = BODY, secret = SECRET) =>
  webhooks.testHeaders(body, secret, { sentAt: SENT_AT })
const contractOnly = async () => ({ 'x-svc-signature': (await headersOf())['x-svc-signature'] })
const refused = (
  headers: Record<string, string | string[] | undefined> | Headers,
  reason: string,
  {
    body = BODY,
    secret = SECRET as string | string[],
    ...more
  }: {
    body?: string
    secret?: string | string[]
    now?: () => number
    toleranceSeconds?: number
    requireTimestamp?: boolean
  } = {}
) =>
  assert.rejects(webhooks.verify(body, headers, secret, { ...options, ...more }), {
    name: 'WebhookVerificationError',
    reason
  })

test('the headers of a test are those that the contract and Standard Webhooks describe', async () => {
  const seconds = SENT_AT.getTime() / 1000
  const standard = createHmac('sha256', Buffer.from(SECRET.slice('whsec_'.length), 'base64'))
  assert.deepEqual(await headersOf(), {
    'content-type': 'application/json',
    'x-svc-signature': `sha256=${createHmac('sha256', SECRET).update(BODY).digest('hex')}`,
    'webhook-id': 'wh_1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${standard.update(`wh_1.${seconds}.${BODY}`).digest('base64')}`
  })
  const { 'webhook-id': named } = await webhooks.testHeaders('no event', SECRET, { webhookId: 'wh_9' })
  assert.deepEqual([named, (await webhooks.testHeaders('7', SECRET))['webhook-id']], ['wh_9', 'wh_test'])
})

test('a delivery is verified whatever form its body and headers have', async () => {
  const headers = await headersOf()
  const bytes = Buffer.from(BODY)
  for (const body of [BODY, bytes, new Uint8Array(bytes), new Uint8Array(bytes).buffer]) {
    for (const form of [headers, new Headers(headers), upperCased(headers), nodeHeaders(headers)]) {
      assert.deepEqual(await webhooks.verify(body, form, SECRET, options), event)
    }
  }
})
const upperCased = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
const nodeHeaders = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))

test('the contract signature alone is enough, unless the time of sending is asked for', async () => {
  assert.deepEqual(await webhooks.verify(BODY, await contractOnly(), SECRET), event)
  await refused(await contractOnly(), 'timestamp_missing', { requireTimestamp: true })
})

test('the Standard Webhooks signature alone is not', async () => {
  const { 'x-svc-signature': _, ...standard } = await headersOf()
  await refused(standard, 'signature_missing')
  await refused({}, 'signature_missing')
  await refused({ ...(await headersOf()), 'x-svc-signature': '' }, 'signature_missing')
})

test('any of several secrets may have signed, in either header', async () => {
  const headers = await headersOf()
  for (const secrets of [[SECRET], [OTHER, SECRET], [SECRET, OTHER]]) {
    assert.deepEqual(await webhooks.verify(BODY, headers, secrets, options), event)
  }
  const both = `${(await headersOf(BODY, OTHER))['webhook-signature']} v2,x v1,!!! ${headers['webhook-signature']}`
  assert.deepEqual(await webhooks.verify(BODY, { ...headers, 'webhook-signature': both }, SECRET, options), event)
  await refused(headers, 'signature_wrong', { secret: OTHER })
})

test('while a secret is rolled, either it or the new one is enough', async () => {
  const headers = await webhooks.testHeaders(BODY, SECRET, { sentAt: SENT_AT, nextSecret: OTHER })
  const { 'x-svc-signature-next': next, ...ofOld } = headers
  for (const secret of [SECRET, OTHER, [SECRET, OTHER]]) {
    assert.deepEqual(await webhooks.verify(BODY, headers, secret, options), event)
    assert.deepEqual(await webhooks.verify(BODY, upperCased(headers), secret, options), event)
  }
  assert.deepEqual(await webhooks.verify(BODY, ofOld, SECRET, options), event)
  await refused(ofOld, 'signature_wrong', { secret: OTHER })
  await refused({ ...ofOld, 'x-svc-signature-next': next!.slice(0, -2) }, 'signature_wrong', { secret: OTHER })
  const { 'x-svc-signature': _, ...onlyNext } = headers
  await refused(onlyNext, 'signature_missing', { secret: OTHER })
  const third = `whsec_${Buffer.from('a third one').toString('base64')}`
  await refused(headers, 'signature_wrong', { secret: third })
})

test('one changed byte of the body or of a signature is refused', async () => {
  const headers = await headersOf()
  await refused(headers, 'signature_wrong', { body: BODY.replace('mem_1', 'mem_2') })
  await refused(headers, 'signature_wrong', { body: `${BODY}\n` })
  await refused(headers, 'signature_wrong', { body: '' })
  const contract = headers['x-svc-signature']!
  const last = contract.endsWith('0') ? '1' : '0'
  for (const wrong of [
    `${contract.slice(0, -1)}${last}`,
    contract.slice(7),
    contract.slice(0, -2),
    `${contract}00`,
    'sha256=',
    'sha256=zz',
    `sha1=${contract.slice(7)}`,
    `${contract}, ${contract}`
  ]) {
    await refused({ ...headers, 'x-svc-signature': wrong }, 'signature_wrong')
  }
  await refused({ ...headers, 'X-SVC-Signature': contract }, 'signature_missing')
  for (const wrong of ['v1,', 'v1,AAAA', headers['webhook-signature']!.replace('v1', 'v1a')]) {
    await refused({ ...headers, 'webhook-signature': wrong }, 'signature_wrong')
  }
})

test('the time of sending is bounded, and cannot be changed', async () => {
  const headers = await headersOf()
  const at = (ms: number) => ({ now: () => SENT_AT.getTime() + ms })
  for (const within of [-300_000, 0, 300_000]) {
    assert.deepEqual(await webhooks.verify(BODY, headers, SECRET, at(within)), event)
  }
  await refused(headers, 'timestamp_too_old', at(300_001))
  await refused(headers, 'timestamp_too_new', at(-300_001))
  await refused(headers, 'timestamp_too_old', { ...at(11_000), toleranceSeconds: 10 })
  const later = String(SENT_AT.getTime() / 1000 + 86_400)
  await refused({ ...headers, 'webhook-timestamp': later }, 'signature_wrong', at(86_400_000))
  const nonsense = await webhooks.testHeaders(BODY, SECRET, { sentAt: new Date(Number.NaN) })
  await refused(nonsense, 'timestamp_too_new')
})

test('a part of the Standard Webhooks headers is refused: somebody took the others away', async () => {
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    ...rest
  } = await headersOf()
  await refused({ ...rest, 'webhook-id': id, 'webhook-signature': signature }, 'timestamp_missing')
  await refused({ ...rest, 'webhook-id': id, 'webhook-timestamp': timestamp }, 'signature_missing')
  await refused({ ...rest, 'webhook-timestamp': timestamp, 'webhook-signature': signature }, 'signature_missing')
})

test('what is signed and no event of that delivery is refused', async () => {
  for (const body of ['', '7', 'null', '[]', '{}', '{"event":1,"webhook_id":"wh_1"}', '{"event":', '{"event":"a"}']) {
    await refused(await headersOf(body), 'body_not_an_event', { body })
  }
  const another = await webhooks.testHeaders(BODY, SECRET, { webhookId: 'wh_2', sentAt: SENT_AT })
  await refused(another, 'body_not_an_event')
  const broken = Uint8Array.of(0x22, 0xff, 0x22)
  await assert.rejects(webhooks.verify(broken, await headersOf(broken), SECRET, options), {
    reason: 'body_not_an_event'
  })
})

test('a call that cannot be right throws an error for the programmer', async () => {
  const headers = await headersOf()
  await assert.rejects(webhooks.verify(event as never, headers, SECRET), /must be the body as it came/)
  for (const secret of ['', [], ['']])
    await assert.rejects(webhooks.verify(BODY, headers, secret), /secret must be the text/)
  await assert.rejects(webhooks.verify(BODY, headers, undefined as never), TypeError)
})
