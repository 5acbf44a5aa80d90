import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setDefaultCACertificates, type TlsOptions } from 'node:tls'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { aCertificate } from '../../../test/certificates.ts'
import { testDatabase } from '../../../test/database.ts'
import { aRawReceiver, aStage, names, type Outcome, rawResponse, says } from '../hostile-endpoints.test-helper.ts'

const { db } = await testDatabase()
const addresses = { loopback: true, allow: [] }
const shown = (outcomes: Outcome[]) => outcomes.map((o) => [o.responseCode, o.failure, o.responseText])

const collectGarbage = () => {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
}
const usedMegabytes = () => {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return (heapUsed + external + arrayBuffers) / 2 ** 20
}

test('of an answer without end a little is read, and none of it stays in memory', async () => {
  const GIGABYTE = 2 ** 30
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const written: number[] = []
  const receiver = await aRawReceiver((socket) => {
    const index = written.push(0) - 1
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${GIGABYTE}\r\n\r\n`)
    const more = () => {
      while (written[index]! < GIGABYTE && !socket.destroyed) {
        written[index]! += chunk.length
        if (!socket.write(chunk)) return
      }
    }
    socket.on('drain', more)
    more()
  })
  const stage = await aStage(db, { addresses })
  const [endpoint] = await stage.plant([receiver.url])
  await stage.send(8)
  collectGarbage()
  const before = usedMegabytes()
  let most = before
  const sampling = setInterval(() => (most = Math.max(most, usedMegabytes())), 2)
  await stage.send(32)
  clearInterval(sampling)
  collectGarbage()
  assert.deepEqual(shown(await stage.outcomes(endpoint!)), Array(40).fill([200, null, 'x'.repeat(1024)]))
  // What the system's buffers take of it.
  assert.ok(Math.max(...written) < 16 * 2 ** 20, `a receiver got rid of ${Math.max(...written)} bytes`)
  assert.ok(most - before < 32, `${most - before} MB at most`)
  // Of forty answers of a gigabyte each; the rest is what the process itself grows by.
  assert.ok(usedMegabytes() - before < 12, `${usedMegabytes() - before} MB stay`)
})

test('a response without a request belongs to no request', async () => {
  const receiver = await aRawReceiver((socket) => {
    socket.write(Buffer.concat([rawResponse('500 First', [], 'first'), rawResponse('200 OK', [], 'smuggled')]))
  })
  const stage = await aStage(db, { addresses })
  const [endpoint] = await stage.plant([receiver.url])
  await stage.send(40)
  assert.deepEqual(shown(await stage.outcomes(endpoint!)), Array(40).fill([500, 'status', 'first']))
  assert.equal(receiver.requests.length, 40)
})

test('nor is one that comes while the connection is idle', async () => {
  const sockets: Socket[] = []
  const receiver = await aRawReceiver(
    (socket, { body }) => socket.write(rawResponse('200 OK', [], /"n":(\d+)/.exec(body)?.[1] ?? 'own')),
    { onConnect: (socket) => sockets.push(socket) }
  )
  const stage = await aStage(db, { addresses })
  const [endpoint] = await stage.plant([receiver.url])
  await stage.send()
  assert.equal(sockets.length, 1)
  sockets[0]!.write(rawResponse('410 Gone', [], 'smuggled'))
  await once(sockets[0]!, 'close')
  await stage.send()
  assert.deepEqual(shown(await stage.outcomes(endpoint!)), Array(2).fill([200, null, 'own']))
  assert.equal(sockets.length, 2)
})

test('a connection that was closed while idle costs no try', async () => {
  const sockets: Socket[] = []
  const receiver = await aRawReceiver((socket) => socket.write(rawResponse('200 OK')), {
    onConnect: (s) => sockets.push(s)
  })
  const stage = await aStage(db, { addresses })
  const [endpoint] = await stage.plant([receiver.url])
  for (const close of [(s: Socket) => s.end(), (s: Socket) => s.resetAndDestroy()]) {
    await stage.send()
    close(sockets.at(-1)!)
    await once(sockets.at(-1)!, 'close')
  }
  await stage.send()
  assert.deepEqual(shown(await stage.outcomes(endpoint!)), Array(3).fill([200, null, '']))
  assert.equal(sockets.length, 3)
})

test('a delivery that meets a connection just being closed is a failed try', async () => {
  const used = new WeakSet<Socket>()
  const receiver = await aRawReceiver((socket) => {
    if (used.has(socket)) return socket.resetAndDestroy()
    used.add(socket)
    socket.write(rawResponse('200 OK'))
  })
  const stage = await aStage(db, { addresses })
  const [endpoint] = await stage.plant([receiver.url])
  await stage.send()
  await stage.send()
  await stage.send()
  // It may have been received, so sending it again at once would be a try too.
  assert.deepEqual(shown(await stage.outcomes(endpoint!)), [
    [200, null, ''],
    [null, 'reset', ''],
    [200, null, '']
  ])
  assert.equal(receiver.requests.length, 3)
})

test('TLS that proves nothing gets nothing', async () => {
  const ca = aCertificate({})
  setDefaultCACertificates([ca.cert])
  const host = 'receiver.test'
  const good = aCertificate({ hosts: [host], issuer: ca })
  const old = { ...good, ciphers: 'DEFAULT:@SECLEVEL=0' }
  const asking = { ...good, requestCert: true, ca: [ca.cert] }
  // biome-ignore format: a table
  const cases: [name: string, tls: TlsOptions, failure: RegExp][] = [
    ['self-signed', aCertificate({ hosts: [host] }), /^tls$/],
    ['signed by another', aCertificate({ hosts: [host], issuer: aCertificate({}) }), /^tls$/],
    ['expired', aCertificate({ hosts: [host], issuer: ca, days: -1 }), /^tls$/],
    ['of another host', aCertificate({ hosts: ['other.test'], issuer: ca }), /^tls$/],
    ['of a host below', aCertificate({ hosts: ['*.receiver.test'], issuer: ca }), /^tls$/],
    ['of an address', aCertificate({ hosts: ['127.0.0.1'], issuer: ca }), /^tls$/],
    ['of no host', aCertificate({ issuer: ca }), /^tls$/],
    ['TLS 1.0', { ...old, minVersion: 'TLSv1', maxVersion: 'TLSv1' }, /^tls$/],
    ['TLS 1.1', { ...old, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' }, /^tls$/],
    ['HTTP/2 only', { ...good, ALPNProtocols: ['h2'] }, /^tls$/],
    ['asks for our certificate', { ...asking, maxVersion: 'TLSv1.2' }, /^tls$/],
    // The refusal comes after the handshake, and the connection may be gone before it is read.
    ['asks for it late', asking, /^(tls|reset)$/]
  ]
  const lookup = names({ [host]: ['127.0.0.1'] })
  const stage = await aStage(db, { addresses: { ...addresses, lookup } })
  const ok = says(rawResponse('200 OK', [], 'ok'))
  const receivers = await Promise.all(cases.map(([, tls]) => aRawReceiver(ok, { tls })))
  const fine = await aRawReceiver(ok, { tls: good })
  const plain = await aRawReceiver(ok, {
    onConnect: (socket) => socket.once('data', () => socket.end(rawResponse('400 Bad')))
  })
  const closing = await aRawReceiver(ok, { onConnect: (socket) => socket.destroy() })
  const all = [fine, plain, closing, ...receivers]
  const [ofFine, ofPlain, ofClosing, ...ids] = await stage.plant(all.map(({ port }) => `https://${host}:${port}/`))
  await stage.send(2)
  const twice = (row: unknown[]) => [row, row]
  assert.deepEqual(shown(await stage.outcomes(ofFine!)), twice([200, null, 'ok']))
  assert.deepEqual(shown(await stage.outcomes(ofPlain!)), twice([null, 'tls', '']))
  assert.deepEqual(shown(await stage.outcomes(ofClosing!)), twice([null, 'reset', '']))
  for (const [i, [name, , failure]] of cases.entries()) {
    for (const outcome of await stage.outcomes(ids[i]!)) {
      assert.equal(outcome.responseCode, null, name)
      assert.match(outcome.failure!, failure, name)
    }
    assert.equal(receivers[i]!.requests.length, 0, name)
  }
})

test('a handshake that does not come has no more time than the try', async () => {
  const silent = await aRawReceiver(() => {})
  const stage = await aStage(db, { addresses, timeoutMs: 300 })
  const [endpoint] = await stage.plant([`https://127.0.0.1:${silent.port}/`])
  await stage.send()
  assert.deepEqual(shown(await stage.outcomes(endpoint!)), [[null, 'timeout', '']])
  assert.equal(silent.connections(), 1)
})

test('a receiver that drips or dawdles holds no more places than one that hangs', async () => {
  const ways: ((socket: Socket) => void)[] = [
    (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\na'),
    (socket) => void setTimeout(() => socket.write(rawResponse('200 OK')), 2500)
  ]
  const held: number[] = []
  const slow = await Promise.all(
    ways.map((act, i) =>
      aRawReceiver((socket) => {
        held[i] = (held[i] ?? 0) + 1
        // Good for long enough to be given all the places that one receiver may have.
        if (held[i] <= 12) socket.write(rawResponse('200 OK'))
        else act(socket)
      })
    )
  )
  let heldAtTheEnd: number[] = []
  const healthy = await aRawReceiver((socket) => {
    if (healthy.requests.length === 100) heldAtTheEnd = [...held]
    socket.write(rawResponse('200 OK'))
  })
  const stage = await aStage(db, { addresses, perEndpoint: 4, overall: 8 })
  await stage.plant([...slow, healthy].map(({ url }) => url))
  await stage.record(100)
  while (healthy.requests.length < 100) await stage.turn()
  for (const count of heldAtTheEnd) assert.ok(count <= 12 + 4 + 4, `${count} requests`)
})
