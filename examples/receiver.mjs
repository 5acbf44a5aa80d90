// A receiver of Perennial's webhooks: `SIGNING_SECRET=whsec_… node examples/receiver.mjs`. Node 20 or later, no packages.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const secret = process.env.SIGNING_SECRET
const port = Number(process.env.RECEIVER_PORT ?? 4000)
if (!secret) {
  console.error('SIGNING_SECRET is not set. It is the secret that `perennial webhook create` printed')
  process.exit(1)
}

/** Deliveries may arrive more than once. A real receiver stores these ids with its own data. */
const seen = new Set()

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  // The signature is over the raw bytes: verify first, parse afterwards.
  const body = Buffer.concat(chunks)
  if (!isSigned(body, request.headers)) {
    console.log('401: the signature is missing or wrong')
    response.writeHead(401).end()
    return
  }

  const { event, timestamp, webhook_id, data } = JSON.parse(body)
  if (!seen.has(webhook_id)) {
    seen.add(webhook_id)
    const subject = data.billing_attempt_id ?? data.subscription_id ?? data.member_id
    console.log(timestamp, event, subject, data.error?.decline_code ?? '')
  }
  response.writeHead(204).end()
}).listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}`))

/** During a rotation the second header has the signature of the new secret. A receiver that accepts either has no gap. */
function isSigned(body, headers) {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  return ['x-svc-signature', 'x-svc-signature-next'].some((name) => {
    const given = Buffer.from(headers[name] ?? '')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
