import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net'
import { after, test } from 'node:test'
import { failureWord, forwardDelivery } from './forward-delivery.ts'

async function urlOf(server: Server): Promise<URL> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks?a=1`)
}

/** What comes of a delivery to this receiver, without how long it took. */
async function outcomeAt(url: URL, options: { timeoutMs?: number; cutOff?: AbortSignal } = {}) {
  const { durationMs, ...outcome } = await forwardDelivery(
    url,
    { body: '{"a":"ü"}', headers: { 'content-type': 'application/json', 'webhook-id': 'wh_1' } },
    { insecure: false, cutOff: new AbortController().signal, ...options }
  )
  assert.ok(Number.isInteger(durationMs))
  return outcome
}

const none = { responseCode: null, responseText: '' }
const respondedWith = (responseCode: number, responseText = '') => ({
  responseCode,
  responseText,
  failure: null,
  problem: null
})

test('the status alone decides the outcome', async () => {
  const receiver = createServer((request, response) => {
    request.resume()
    if (request.url === '/drips') return void response.writeHead(201).write('drop')
    if (request.url === '/breaks') return void response.writeHead(500).write('half', () => response.destroy())
    if (request.url === '/floods') return void response.end('x'.repeat(200_000))
    if (request.url === '/moves') return void response.writeHead(302, { location: '/floods' }).end()
    response.end('nul: \0')
  })
  after(() => receiver.closeAllConnections())
  const url = await urlOf(receiver)
  const at = (path: string) => new URL(path, url)
  assert.deepEqual(await outcomeAt(at('/drips'), { timeoutMs: 200 }), respondedWith(201, 'drop'))
  assert.deepEqual(await outcomeAt(at('/breaks')), respondedWith(500, 'half'))
  assert.deepEqual(await outcomeAt(at('/floods')), respondedWith(200, 'x'.repeat(1024)))
  assert.deepEqual(await outcomeAt(at('/moves')), respondedWith(302))
  assert.deepEqual(await outcomeAt(at('/nul')), respondedWith(200, 'nul: \ufffd'))
})

test('a failure has the same word as in the delivery history', () => {
  const outcome = { durationMs: 1, problem: null, responseText: '' }
  for (const [responseCode, failure, word] of [
    [204, null, null],
    [304, null, 'redirect'],
    [410, null, 'status'],
    [null, 'timeout', 'timeout']
  ] as const) {
    assert.equal(failureWord({ ...outcome, responseCode, failure }), word)
  }
})

test('a missing response is reported with its reason', async () => {
  const silent = await urlOf(createSocketServer())
  assert.deepEqual(await outcomeAt(silent, { timeoutMs: 100 }), {
    ...none,
    failure: 'timeout',
    problem: 'no response within 0.1 s'
  })
  assert.deepEqual(await outcomeAt(silent, { cutOff: AbortSignal.timeout(50) }), {
    ...none,
    failure: 'interrupted',
    problem: 'interrupted'
  })
  assert.deepEqual(await outcomeAt(await urlOf(createSocketServer((socket) => socket.destroy()))), {
    ...none,
    failure: 'reset',
    problem: 'the receiver closed the connection without a response'
  })
  assert.deepEqual(await outcomeAt(await urlOf(createSocketServer((socket) => socket.end('SSH-2.0-x\r\n')))), {
    ...none,
    failure: 'protocol',
    problem: 'the receiver did not respond with valid HTTP'
  })
  const plain = await urlOf(createServer((_, response) => response.end()))
  assert.deepEqual(await outcomeAt(new URL(plain.href.replace('http:', 'https:'))), {
    ...none,
    failure: 'tls',
    problem: `${plain.host} uses plain http, not TLS: forward to http://${plain.host} instead`
  })
  assert.deepEqual(await outcomeAt(new URL('http://nowhere.invalid/')), {
    ...none,
    failure: 'dns',
    problem: 'the name nowhere.invalid does not resolve'
  })
  const gone = createSocketServer()
  const url = await urlOf(gone)
  gone.close()
  assert.deepEqual(await outcomeAt(url), {
    ...none,
    failure: 'connect',
    problem: `connection refused by ${url.host}: is the receiver running?`
  })
})
