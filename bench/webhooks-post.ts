import { type ChildProcess, fork } from 'node:child_process'
import { createHmac, createSecretKey } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type Dispatcher, request } from 'undici'
import type { Report } from './webhooks-receiver.ts'

/** The number of POSTs in flight, for every sender. */
export const AT_A_TIME = 8

/** A body to post. */
export type Message = { webhookId: string; body: string }

export type Post = (message: Message, signal?: AbortSignal) => Promise<Dispatcher.ResponseData>

/** The minimum of a sender: it signs both ways and posts, over the same keep-alive connections as the service. */
export function createPost(url: string, secret: string): { post: Post; close(): Promise<void> } {
  const dispatcher = new Agent({
    connections: AT_A_TIME,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false
  })
  const keys = {
    contract: createSecretKey(secret, 'utf8'),
    standard: createSecretKey(secret.slice('whsec_'.length), 'base64')
  }
  return {
    post({ webhookId, body }, signal) {
      const seconds = Math.floor(Date.now() / 1000)
      const standard = createHmac('sha256', keys.standard).update(`${webhookId}.${seconds}.${body}`).digest('base64')
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Perennial-Webhooks/1',
        'x-svc-signature': `sha256=${createHmac('sha256', keys.contract).update(body).digest('hex')}`,
        'webhook-id': webhookId,
        'webhook-timestamp': String(seconds),
        'webhook-signature': `v1,${standard}`
      }
      return request(url, { dispatcher, method: 'POST', body, headers, signal })
    },
    close: () => dispatcher.close()
  }
}

export type Receiver = { ports: number[]; report(): Promise<Report>; stop(): void }

/** Starts bench/webhooks-receiver.ts. */
export async function startReceiver({ ports = 1 } = {}): Promise<Receiver> {
  const child: ChildProcess = fork(new URL('webhooks-receiver.ts', import.meta.url), [String(ports)])
  const [opened] = (await once(child, 'message')) as [number[]]
  return {
    ports: opened,
    async report() {
      const reported = once(child, 'message')
      child.send('report')
      return (await reported)[0] as Report
    },
    stop: () => child.disconnect()
  }
}
