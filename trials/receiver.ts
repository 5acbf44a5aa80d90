import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { loopbackTls } from '../bench/loopback-tls.ts'
import { listenHere } from './listen-here.ts'

/**
 * A receiver over TLS that returns 204 for requests signed with its `secret` and 401 for others. `posts` counts the requests of
 * each webhook_id; `odd` lists errors: an event with two webhook_ids, or a header that differs from the body.
 */
export async function aTlsReceiver() {
  const receiver = { secret: '', posts: new Map<string, number>(), odd: [] as string[] }
  const idOf = new Map<string, string>()
  const server = createServer(loopbackTls, async (req, res) => {
    const body = await bodyOf(req)
    if (!body) return
    const expected = `sha256=${createHmac('sha256', receiver.secret).update(body).digest('hex')}`
    if (req.headers['x-svc-signature'] !== expected) return res.writeHead(401).end()
    const { webhook_id, ...fact } = JSON.parse(body.toString()) as { webhook_id: string }
    const text = JSON.stringify(fact)
    const known = idOf.get(text) ?? webhook_id
    idOf.set(text, webhook_id)
    if (known !== webhook_id) receiver.odd.push(`${known} and ${webhook_id} are one fact: ${text}`)
    if (req.headers['webhook-id'] !== webhook_id)
      receiver.odd.push(`${webhook_id} is ${req.headers['webhook-id']} above`)
    receiver.posts.set(webhook_id, (receiver.posts.get(webhook_id) ?? 0) + 1)
    res.writeHead(204).end()
  })
  const { url, close } = await listenHere(server)
  return Object.assign(receiver, { url: url.replace('http', 'https'), close })
}

/** Null: the sender died during the request. */
async function bodyOf(req: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of req) chunks.push(chunk as Buffer)
  } catch {
    return null
  }
  return Buffer.concat(chunks)
}
