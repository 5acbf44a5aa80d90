import { type ClientHttp2Session, connect, constants } from 'node:http2'
import type { PushOutcome } from '../push-outcome.ts'
import type { AppleCredentials } from './check-apple-credentials.ts'

/** Where Apple's push service is; `ca`: who has issued its certificate, where that is nobody known. */
export type ApnsServer = { url: string; ca?: string }

export const APNS: ApnsServer = { url: 'https://api.push.apple.com' }

/** Requests on one connection at once: far fewer than Apple allows. */
const AT_ONCE = 50
const MAX_ANSWER_BYTES = 4096
/** What Apple says of a phone that does not have the pass any more, beside the status 410. */
const GONE = new Set(['BadDeviceToken', 'DeviceTokenNotForTopic', 'Unregistered'])

/**
 * Tells phones by Apple's push service that they are to fetch a pass anew: an empty notification for each, over one connection, which
 * the certificate of the pass type authenticates. Never rejects; outcomes are in the order of the tokens.
 */
export async function pushToApple(
  tokens: string[],
  { certificate, key, passTypeId }: AppleCredentials,
  { url, ca }: ApnsServer,
  { timeoutMs }: { timeoutMs: number }
): Promise<PushOutcome[]> {
  if (tokens.length === 0) return []
  const session = connect(url, { cert: certificate, key, ...(ca !== undefined && { ca }) })
  let problem: string | null = null
  const failed = new Promise<null>((resolve) => {
    session.on('error', (err: Error) => {
      problem = `Apple did not answer: ${err.message}`
      resolve(null)
    })
    session.on('close', () => resolve(null))
  })
  const outcomes: PushOutcome[] = []
  try {
    for (let i = 0; i < tokens.length; i += AT_ONCE) {
      const sent = tokens.slice(i, i + AT_ONCE).map((token) => pushOne(session, token, passTypeId, timeoutMs))
      const ended = sent.map((one) => Promise.race([one, failed]))
      for (const one of await Promise.all(ended))
        outcomes.push(one ?? { kind: 'failed', problem: problem ?? 'Apple ended the connection' })
    }
  } finally {
    session.destroy()
  }
  return outcomes
}

function pushOne(session: ClientHttp2Session, token: string, topic: string, timeoutMs: number): Promise<PushOutcome> {
  return new Promise((resolve) => {
    const fail = (problem: string) => resolve({ kind: 'failed', problem })
    if (session.destroyed || session.closed) return fail('Apple ended the connection')
    const stream = session.request({
      ':method': 'POST',
      ':path': `/3/device/${token}`,
      'apns-topic': topic,
      'apns-push-type': 'background',
      'apns-priority': '5'
    })
    const timer = setTimeout(() => {
      fail(`Apple did not answer within ${timeoutMs / 1000} seconds`)
      stream.close(constants.NGHTTP2_CANCEL)
    }, timeoutMs)
    let status = 0
    let body = ''
    stream.setEncoding('utf8')
    stream.on('response', (headers) => {
      status = Number(headers[':status'])
    })
    stream.on('data', (chunk: string) => {
      if (body.length < MAX_ANSWER_BYTES) body += chunk
    })
    stream.on('error', (err) => fail(`Apple did not answer: ${err.message}`))
    stream.on('close', () => {
      clearTimeout(timer)
      resolve(outcomeOf(status, body))
    })
    stream.end('{}')
  })
}

function outcomeOf(status: number, body: string): PushOutcome {
  if (status === 200) return { kind: 'done' }
  const reason = reasonIn(body)
  if (status === 410 || (status === 400 && GONE.has(reason))) return { kind: 'gone' }
  return { kind: 'failed', problem: `Apple's answer has the status ${status}${reason && ` (${reason})`}` }
}

function reasonIn(body: string): string {
  try {
    const { reason } = JSON.parse(body) as { reason?: unknown }
    return typeof reason === 'string' ? reason.slice(0, 100) : ''
  } catch {
    return ''
  }
}
