import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

export type ReceiverKind = {
  name: string
  /** What it does with a whole request; `raw` is the connection below TLS. */
  act: (socket: Socket, raw: Socket) => void
  /** Its certificate is the one that the service trusts, another one, or it does not speak TLS at all. */
  tls: 'trusted' | 'untrusted' | 'none'
  /** What has to be recorded of a try, and how long it lasts at least and at most. */
  expected: { responseCode: number | null; failure: string | null }
  lastsMs: { least: number; most: number }
}

/** What came to a good receiver, and to one of each kind. */
export type ReceiverCounts = { canaryConnections: number; receivers: { requests: number; maxBytes: number }[] }

export const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n'
const MIB = 1024 * 1024
/** The length of the endless bodies. */
const GIB = 1024 * MIB
const DRIP_EVERY_MS = 500
const SLOW_MS = 20_000

/** The limit of a try, and what a busy machine may add. */
const WHOLE_TRY_MS = { least: 29_950, most: 34_000 }
const LESS_THAN_A_TRY_MS = { least: 0, most: 30_000 }
/** Once the status is there, a body has two seconds. */
const BODY_MS = { least: 1_950, most: 20_000 }

const head = (status: string, ...lines: string[]) => [`HTTP/1.1 ${status}`, ...lines, '', ''].join('\r\n')
const says =
  (...parts: (string | Buffer)[]) =>
  (socket: Socket) => {
    for (const part of parts) socket.write(part)
  }
const dripping = (first: string, drop: string) => (socket: Socket) => {
  socket.write(first)
  const timer = setInterval(() => socket.write(drop), DRIP_EVERY_MS)
  socket.on('close', () => clearInterval(timer))
}

/** Members of one gzip file: 1 GiB of zeros in a MiB. */
const bomb = Buffer.concat(Array(64).fill(gzipSync(Buffer.alloc(16 * MIB))))
const chunk = Buffer.alloc(64 * 1024, 'x')

function pourOut(socket: Socket): void {
  let left = GIB
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      left -= chunk.length
      if (!socket.write(chunk)) return
    }
  }
  socket.write(head('200 OK', `content-length: ${GIB}`))
  socket.on('drain', more)
  more()
}

/** The faults of receivers. `elsewhere`: where those that redirect point to. */
export function receiverKinds(elsewhere: string): ReceiverKind[] {
  const kind = (
    name: string,
    act: ReceiverKind['act'],
    responseCode: number | null,
    failure: string | null,
    given: Partial<ReceiverKind> = {}
  ): ReceiverKind => ({
    name,
    act,
    tls: 'trusted',
    lastsMs: LESS_THAN_A_TRY_MS,
    expected: { responseCode, failure },
    ...given
  })
  const answer = (status: string, ...lines: string[]) => says(head(status, ...lines, 'content-length: 0'))
  return [
    kind('status 500', answer('500 Oh'), 500, 'status'),
    kind('status 410', answer('410 Gone'), 410, 'status'),
    kind('status 429', answer('429 Too Many', 'retry-after: 86400'), 429, 'status'),
    kind('status 302', answer('302 There', `location: ${elsewhere}`), 302, 'redirect'),
    kind('status 308', answer('308 There', `location: ${elsewhere}`), 308, 'redirect'),
    kind('reset', (_, raw) => raw.resetAndDestroy(), null, 'reset'),
    kind('hang', () => {}, null, 'timeout', { lastsMs: WHOLE_TRY_MS }),
    kind(
      'late answer',
      (socket) => void setTimeout(() => socket.write(head('200 OK', 'content-length: 0')), SLOW_MS),
      200,
      null,
      {
        lastsMs: { ...LESS_THAN_A_TRY_MS, least: SLOW_MS - 50 }
      }
    ),
    kind('dripping header', dripping('HTTP/1.1 200 OK\r\n', 'x: y\r\n'), null, 'timeout', { lastsMs: WHOLE_TRY_MS }),
    kind('dripping body', dripping(head('200 OK', 'content-length: 99999'), 'a'), 200, null, { lastsMs: BODY_MS }),
    kind('body of 1 GiB', pourOut, 200, null),
    kind(
      'gzip bomb',
      says(head('200 OK', 'content-encoding: gzip', `content-length: ${bomb.length}`), bomb),
      200,
      null
    ),
    kind('untrusted certificate', () => {}, null, 'tls', { tls: 'untrusted' }),
    kind('no TLS', () => {}, null, 'tls', { tls: 'none' })
  ]
}
