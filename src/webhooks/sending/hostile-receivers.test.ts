import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { testDatabase } from '../../../test/database.ts'
import { aCanary, aRawReceiver, aStage, rawResponse, says } from '../hostile-endpoints.test-helper.ts'

const { db } = await testDatabase()
const canary = await aCanary()
const elsewhere = `http://127.0.0.1:${canary.port}/`

const head = (status: string, ...lines: string[]) => [`HTTP/1.1 ${status}`, ...lines, '', ''].join('\r\n')
const chunked = 'transfer-encoding: chunked'
const tenBytes = 'content-length: 10'
const early = head('103 Early Hints', 'link: </x>; rel=preload')

const bomb = gzipSync(Buffer.alloc(10 * 2 ** 20))

/** One after the other until the connection ends. */
function dripping(first: string, pieces: string | string[]) {
  return (socket: Socket) => {
    socket.write(first)
    let next = 0
    const timer = setInterval(() => socket.write(pieces[next++ % pieces.length]!), 20)
    socket.on('close', () => clearInterval(timer))
  }
}

/** What it said is read by then. */
function afterwards(first: string, then: (socket: Socket) => void) {
  return (socket: Socket) => void socket.write(first, () => setTimeout(then, 20, socket))
}

type Row = [
  name: string,
  act: (socket: Socket) => void,
  code: number | null,
  failure: string | null,
  text?: string | RegExp
]

// biome-ignore format: a table
const ANSWERS: Row[] = [
  ['never answers', () => {}, null, 'timeout'],
  ['ends without an answer', (s) => s.end(), null, 'reset'],
  ['resets without an answer', (s) => s.resetAndDestroy(), null, 'reset'],
  ['ends within the headers', (s) => s.end('HTTP/1.1 200 OK\r\ncontent-le'), null, 'reset'],
  ['resets within the headers', afterwards('HTTP/1.1 200 OK\r\nx: y', (s) => s.resetAndDestroy()), null, 'reset'],
  ['drips headers', dripping('HTTP/1.1 200 OK\r\n', 'x: y\r\n'), null, 'timeout'],
  ['drips a good body', dripping(head('200 OK', 'content-length: 99999'), 'a'), 200, null, /^a+$/],
  ['drips a bad body', dripping(head('500 Oh', 'content-length: 99999'), 'a'), 500, 'status', /^a+$/],
  ['drips chunks', dripping(head('200 OK', chunked), ['1\r\na\r\n']), 200, null, /^a+$/],
  ['ends within the body', (s) => s.end(`${head('200 OK', tenBytes)}part`), 200, null, 'part'],
  ['resets within the body', afterwards(`${head('503 No', tenBytes)}part`, (s) => s.resetAndDestroy()), 503, 'status', 'part'],

  ['sends more than it said', says(`${head('200 OK', 'content-length: 2')}okHTTP`), 200, null, 'ok'],
  ['says two lengths', says(`${head('200 OK', tenBytes, 'content-length: 3')}ok!`), null, 'protocol'],
  ['says a negative length', says(head('200 OK', 'content-length: -1')), null, 'protocol'],
  ['says a length too long', says(head('200 OK', `content-length: ${'9'.repeat(30)}`)), null, 'protocol'],
  ['says a length and chunks', says(`${head('200 OK', tenBytes, chunked)}2\r\nok\r\n0\r\n\r\n`), null, 'protocol'],
  ['sends broken chunks', says(`${head('500 Oh', chunked)}zz\r\n`), 500, 'status', ''],
  ['sends an endless chunk', (s) => s.end(`${head('200 OK', chunked)}fffffffffffffff\r\nabc`), 200, null, 'abc'],
  ['folds a header', says('HTTP/1.1 200 OK\r\nx: y\r\n content-length: 2\r\ncontent-length: 2\r\n\r\nok'), null, 'protocol'],
  ['speaks HTTP/0.9', says('<html>hello</html>'), null, 'protocol'],
  ['speaks HTTP/1.0', (s) => s.end('HTTP/1.0 200 OK\r\n\r\nold'), 200, null, 'old'],
  ['speaks HTTP/9', says('HTTP/9.9 200 OK\r\n\r\n'), null, 'protocol'],
  ['speaks HTTP/2', says(Buffer.from('00000c04000000000000030000006400040000ffff', 'hex')), null, 'protocol'],
  ['speaks SSH', says('SSH-2.0-OpenSSH_9.7\r\n'), null, 'protocol'],
  ['speaks TLS', says(Buffer.from('15030100020246', 'hex')), null, 'protocol'],
  ['sends random bytes', says(Buffer.from(Array.from({ length: 999 }, (_, i) => (i * 7919) % 256))), null, 'protocol'],
  ['sends bare line feeds', says('HTTP/1.1 200 OK\ncontent-length: 2\n\nok'), null, 'protocol'],
  ['sends 1 MB of header', says(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(2 ** 20)}`), null, 'protocol'],
  ['sends 10,000 headers', says(head('200 OK', ...Array.from({ length: 10_000 }, (_, n) => `x-${n}: y`))), null, 'protocol'],

  ['says 100 unasked', says(head('100 Continue') + rawResponse('200 OK')), null, 'protocol'],
  ['says 102 and 103 first', says(head('102 Processing') + early + rawResponse('200 OK', [], 'ok')), 200, null, 'ok'],
  ['says 103 for ever', dripping(early, [early.repeat(100)]), null, 'protocol'],
  ['switches protocols', says(head('101 Switching', 'upgrade: h2c', 'connection: upgrade')), null, 'protocol'],
  ['status 101 alone', says(head('101 Switching')), null, 'protocol'],
  ['status 000', says(rawResponse('000 Zero')), null, 'protocol'],
  ['status 099', says(rawResponse('099 Low')), null, 'protocol'],
  ['status 600', says(rawResponse('600 Six', [], 'six')), 600, 'status', 'six'],
  ['status 999', says(rawResponse('999 Nine')), 999, 'status', ''],
  ['status 1000', says(rawResponse('1000 More')), null, 'protocol'],
  ['status 2x0', says(rawResponse('2x0 OK')), null, 'protocol'],
  ['status -20', says(rawResponse('-20 OK')), null, 'protocol'],
  ['status without a reason', says('HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok'), 200, null, 'ok'],
  ['204 with a body', says(`${head('204 No Content', tenBytes)}0123456789`), 204, null, ''],
  ['205 with a body', says(rawResponse('205 Reset Content', [], 'body')), 205, null, 'body'],
  ['304 with a length', says(head('304 Not Modified', tenBytes)), 304, 'redirect', ''],
  ['until the connection ends', (s) => s.end(`${head('200 OK')}the rest`), 200, null, 'the rest'],
  ['429', says(rawResponse('429 Too Many Requests', ['retry-after: 86400'], 'slow down')), 429, 'status', 'slow down'],
  ['426', says(rawResponse('426 Upgrade Required', ['upgrade: h2c', 'connection: upgrade'])), 426, 'status', ''],
  ['407', says(rawResponse('407 Proxy', ['proxy-authenticate: Basic'])), 407, 'status', ''],
  ...[300, 301, 302, 303, 305, 307, 308].map((code): Row => {
    return [`redirects by ${code}`, says(rawResponse(`${code} There`, [`location: ${elsewhere}`], 'gone')), code, 'redirect', 'gone']
  }),
  ['points elsewhere', says(rawResponse('200 OK', [`location: ${elsewhere}`, `refresh: 0; url=${elsewhere}`, `link: <${elsewhere}>; rel=preload`,
    `alt-svc: h2="127.0.0.1:${canary.port}"`], 'ok')), 200, null, 'ok'],

  ['NUL', says(rawResponse('500 Oh', [], 'a\0b')), 500, 'status', 'a\ufffdb'],
  ['invalid UTF-8', says(rawResponse('500 Oh', [], Buffer.from([0x61, 0xff, 0xc0, 0x80, 0x62]))), 500, 'status', 'a\ufffd\ufffd\ufffdb'],
  ['surrogates', says(rawResponse('500 Oh', [], Buffer.from('eda08061edb080', 'hex'))), 500, 'status', /^\ufffd+a\ufffd+$/],
  ['an emoji over the border', says(rawResponse('500 Oh', [], `${'x'.repeat(1022)}🙂`)), 500, 'status', 'x'.repeat(1022)],
  ['no text at all', says(rawResponse('500 Oh', [], Buffer.alloc(5000, 0x80))), 500, 'status', '\ufffd'.repeat(1024)],
  ['a gzip bomb', says(rawResponse('200 OK', ['content-encoding: gzip'], bomb)), 200, null, bomb.toString('utf8', 0, 1024).replaceAll('\0', '\ufffd')]
]

const hangs = ([name, , , failure]: Row) => failure === 'timeout' || name.startsWith('drips')

async function check(rows: Row[], timeoutMs: number) {
  const stage = await aStage(db, { addresses: { loopback: true, allow: [] }, timeoutMs })
  const receivers = await Promise.all(rows.map(([, act]) => aRawReceiver(act)))
  const healthy = await aRawReceiver(says(rawResponse('200 OK', [], 'fine')))
  const [fine, ...ids] = await stage.plant([healthy, ...receivers].map(({ url }) => url))
  await stage.send(3)
  for (const [i, [name, , code, failure, text]] of rows.entries()) {
    const outcomes = await stage.outcomes(ids[i]!)
    assert.equal(outcomes.length, 3, name)
    for (const { responseCode, failure: word, responseText, durationMs } of outcomes) {
      assert.deepEqual({ name, responseCode, word }, { name, responseCode: code, word: failure })
      if (text instanceof RegExp) assert.match(responseText, text, name)
      else assert.equal(responseText, text ?? '', name)
      assert.equal(durationMs! > timeoutMs - 10, hangs(rows[i]!), name)
    }
    // One try each; each began with a request of its own.
    assert.equal(receivers[i]!.requests.length, 3, name)
  }
  assert.deepEqual(
    (await stage.outcomes(fine!)).map((o) => [o.responseCode, o.responseText]),
    Array(3).fill([200, 'fine'])
  )
  assert.equal(canary.connections, 0)
}

test('whatever a receiver answers is recorded as what it is, and its next deliveries go on', () => {
  return check(
    ANSWERS.filter((row) => !hangs(row)),
    20_000
  )
})

test('whatever a receiver does without an end, it has the time of one try for it', () => {
  return check(ANSWERS.filter(hangs), 1000)
})
