import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { after } from 'node:test'
import type { BuiltStore } from '../../../test/store-builder.ts'
import { until } from '../../../test/until.ts'

type Headers = Record<string, string | number>

/** Opens a connection to a port of this machine, on which a request is sent in parts. */
export function aRawRequest(port: string, target: string, headers: Headers) {
  const socket = connect(Number(port), '127.0.0.1')
  let came = ''
  socket.on('data', (chunk) => {
    came += chunk
  })
  socket.on('error', () => {})
  after(() => socket.destroy())
  const lines = Object.entries({ host: 'a', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
  return {
    socket,
    send: (text: string) => socket.write(text),
    chunk: (text: string) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`),
    /** The status, the headers and the body of the answer. */
    async answer() {
      const text = await until('an answer', () => (/\r\n\r\n.*\}/s.test(came) ? came : null))
      const [head = '', body = ''] = text.split('\r\n\r\n')
      return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: JSON.parse(body) }
    },
    hasAnswer: () => came !== ''
  }
}

/** The headers of a platform's message, whose signature is right for `body`. */
export const signedBy = (of: BuiltStore, body: string) => ({
  'content-type': 'application/json',
  'x-platform-topic': 'orders/paid',
  'x-platform-shop-domain': of.domain,
  'x-platform-webhook-id': crypto.randomUUID(),
  'x-platform-hmac-sha256': createHmac('sha256', of.credentials.appSecret).update(body).digest('base64')
})

/** A JSON object of so many bytes. */
export const aMessage = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
