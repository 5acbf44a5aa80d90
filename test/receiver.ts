import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeDrop } from './database.ts'

export type ReceivedWebhook = {
  webhookId: string
  event: string
  timestamp: string
  data: any
  signed: boolean
  /** The delivery as received. */
  raw: { body: Buffer; headers: IncomingHttpHeaders }
}

/** A store's receiver on a real socket. It records deliveries and whether their signatures are valid; `answer` is its status. */
export async function aReceiver(statusOf: (received: ReceivedWebhook, nth: number) => number = () => 204) {
  const received: ReceivedWebhook[] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const expected = `sha256=${createHmac('sha256', receiver.secret).update(body).digest('hex')}`
    const { event, timestamp, webhook_id, data } = JSON.parse(body.toString())
    const signed = req.headers['x-svc-signature'] === expected
    const one = { webhookId: webhook_id, event, timestamp, data, signed, raw: { body, headers: req.headers } }
    received.push(one)
    res.writeHead(statusOf(one, received.length)).end()
  })
  const receiver = { url: '', secret: '', received, events: () => received.map((h) => h.event), server }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  beforeDrop(async () => {
    server.closeAllConnections()
    server.close()
  })
  return receiver
}
