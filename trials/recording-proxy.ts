import { createServer } from 'node:http'
import { request } from 'undici'
import { listenHere } from './listen-here.ts'

/** A charge that was requested: the platform's contract and our key. */
export type RequestedCharge = { contractId: string; key: string }

/**
 * A proxy between the service and its platform that notes every request for a charge. What was asked for says more than what the
 * platform did: one that remembers keys, or refuses to charge a cycle twice, hides that it was asked twice.
 */
export async function aRecordingProxy(target: string) {
  const charges: RequestedCharge[] = []
  let onCharge = () => {}
  let passing = Promise.resolve()
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    if (noteCharge(body, charges)) onCharge()
    await passing
    const { 'x-platform-access-token': token, 'content-type': type } = req.headers
    try {
      const response = await request(`${target}${req.url}`, {
        method: 'POST',
        headers: { 'x-platform-access-token': String(token), 'content-type': String(type) },
        body
      })
      res.writeHead(response.statusCode, { 'content-type': 'application/json' }).end(await response.body.text())
    } catch {
      req.socket.destroy()
    }
  })
  return {
    ...(await listenHere(server)),
    charges,
    /** Has this called for every charge that is requested from now on. */
    watch(look: () => void) {
      onCharge = look
    },
    /** Lets nothing pass until the function that it returns is called. */
    stall(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>()
      passing = promise
      return resolve
    }
  }
}

function noteCharge(body: Buffer, charges: RequestedCharge[]): boolean {
  if (!body.includes('mutation BillingAttemptCreate')) return false
  const { variables } = JSON.parse(body.toString()) as {
    variables: { contractId: string; input: { idempotencyKey: string } }
  }
  charges.push({ contractId: variables.contractId.split('/').at(-1)!, key: variables.input.idempotencyKey })
  return true
}
