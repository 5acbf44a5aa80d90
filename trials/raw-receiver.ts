import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { loopbackTls } from '../bench/loopback-tls.ts'
import { aCertificate } from '../test/certificates.ts'
import type { ReceiverKind } from './receiver-kinds.ts'

/**
 * A server on loopback that gives each whole request to `act`, which writes to the connection what it likes; `raw` is below TLS.
 */
export async function aRawReceiver(tls: ReceiverKind['tls'], act: (socket: Socket, raw: Socket, body: string) => void) {
  const raws = new Map<number, Socket>()
  let requests = 0
  let connections = 0
  let maxBytes = 0
  const serve = (socket: Socket) => {
    let read = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      read = Buffer.concat([read, chunk])
      const end = read.indexOf('\r\n\r\n')
      if (end < 0) return
      const whole = end + 4 + Number(/content-length: (\d+)/i.exec(read.toString('latin1', 0, end))?.[1] ?? 0)
      if (read.length < whole) return
      const body = read.toString('utf8', end + 4, whole)
      read = read.subarray(whole)
      requests++
      act(socket, raws.get(socket.remotePort!)!, body)
    })
  }
  const certificate = tls === 'untrusted' ? aCertificate({ hosts: ['127.0.0.1'] }) : loopbackTls
  const server: Server = tls === 'none' ? createServer(() => {}) : createTlsServer(certificate, serve)
  server.on('tlsClientError', () => {})
  server.on('connection', (raw: Socket) => {
    connections++
    const port = raw.remotePort!
    raws.set(port, raw)
    raw.on('error', () => {})
    raw.on('close', () => {
      maxBytes = Math.max(maxBytes, raw.bytesWritten)
      raws.delete(port)
    })
    // One that does not speak TLS says so.
    if (tls === 'none') raw.on('data', () => raw.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'))
  })
  server.listen(0, '127.0.0.1', 2_000)
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: () => requests,
    connections: () => connections,
    maxBytes: () => maxBytes,
    close() {
      server.close()
      for (const raw of raws.values()) raw.destroy()
    }
  }
}
