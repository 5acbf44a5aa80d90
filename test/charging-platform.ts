// A platform over HTTP that pays every charge at once, for what happens when some of its calls hang: no sandbox, no database.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { aContract, aLine, anAttempt, anOrder, lastPage } from './fake-platform.ts'

/** A call as the platform got it. */
export type PlatformCall = { operation: string; variables: Record<string, any>; token: string }

/**
 * Starts the platform. `hangs` says of each call whether it never gets an answer; of all others the answer comes after
 * `latencyMs`. Contracts, customers and orders have the numbers of `aDueStore`.
 */
export async function startChargingPlatform({
  latencyMs = 0,
  hangs = () => false
}: {
  latencyMs?: number
  hangs?: (call: PlatformCall) => boolean
} = {}) {
  /** Calls that were answered, by operation. */
  const answered = new Map<string, number>()
  /** How often each charge was asked for, by the store's token and its key. */
  const charges = new Map<string, number>()
  const hanging = new Set<ServerResponse>()
  /** Calls that are being answered, and how many were throttled. */
  const load = { open: 0, throttled: 0 }
  const control: { hangs: typeof hangs; atOnce: number } = { hangs, atOnce: Number.POSITIVE_INFINITY }

  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const { query, variables } = JSON.parse(Buffer.concat(chunks).toString())
    const operation = /^(?:query|mutation) (\w+)/.exec(query)![1]!
    const token = String(req.headers['x-platform-access-token'])
    if (variables.input?.idempotencyKey) {
      const charge = `${token} ${variables.input.idempotencyKey}`
      charges.set(charge, (charges.get(charge) ?? 0) + 1)
    }
    if (control.hangs({ operation, variables, token })) {
      hanging.add(res)
      res.once('close', () => hanging.delete(res))
      return
    }
    const isThrottled = load.open >= control.atOnce
    load.open++
    if (latencyMs > 0) await sleep(latencyMs)
    load.open--
    if (isThrottled) {
      load.throttled++
      res.writeHead(200, { 'content-type': 'application/json' }).end(THROTTLED)
      return
    }
    answered.set(operation, (answered.get(operation) ?? 0) + 1)
    res
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ data: answer(operation, variables) }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    charges,
    /** From now on: which calls hang, and how many at once are answered before others are throttled. */
    control,
    /** How many calls were throttled. */
    throttled: () => load.throttled,
    answered: (operation: string) => answered.get(operation) ?? 0,
    /** How many connections wait for an answer that never comes. */
    hanging: () => hanging.size,
    close() {
      server.closeAllConnections()
      server.close()
    }
  }
}

const THROTTLED = JSON.stringify({
  errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
  extensions: {
    cost: {
      requestedQueryCost: 10,
      throttleStatus: { maximumAvailable: 20_000, currentlyAvailable: 20_000, restoreRate: 1_000 }
    }
  }
})

const SINCE = '2026-01-28T15:00:00Z'

const customerOf = (number: string) => ({
  id: `gid://platform/Customer/${number}`,
  firstName: null,
  lastName: null,
  updatedAt: SINCE,
  defaultEmailAddress: { emailAddress: `person-${number}@example.com` }
})

function contractOf(gid: string) {
  const number = numberOf(gid)
  const line = { ...aLine(1), currentPrice: PRICE, lineDiscountedPrice: PRICE }
  return { ...aContract(number, [line], lastPage), customer: customerOf(number), originOrder: null, revisionId: '1' }
}

const PRICE = { amount: '29.00', currencyCode: 'USD' }

const numberOf = (gid: string) => gid.split('/').at(-1)!

function answer(operation: string, variables: Record<string, any>): unknown {
  switch (operation) {
    case 'BillingAttemptCreate': {
      const contract = numberOf(variables.contractId)
      const key = variables.input.idempotencyKey as string
      const number = `${key.split('-')[2]}${contract}`
      const order = { ...anOrder(number), name: `#${number}`, customer: { id: `gid://platform/Customer/${contract}` } }
      const paid = { __typename: 'SubscriptionBillingAttemptSuccessState' }
      const attempt = {
        ...anAttempt(number, paid, key, order),
        completedAt: '2026-02-28T10:00:00Z',
        subscriptionContract: { id: variables.contractId, customerPaymentMethod: null }
      }
      return { subscriptionBillingAttemptCreate: { subscriptionBillingAttempt: attempt, userErrors: [] } }
    }
    // Every charge is paid at once, so those that are searched for never arrived.
    case 'BillingAttemptKeys':
      return { subscriptionContract: { billingAttempts: { nodes: [], pageInfo: lastPage } } }
    case 'ContractsByIds':
      return { nodes: (variables.ids as string[]).map(contractOf) }
    case 'CustomersByIds':
      return { nodes: (variables.ids as string[]).map((id) => ({ ...customerOf(numberOf(id)), createdAt: SINCE })) }
    case 'ContractSetNextBillingDate': {
      const { id, date } = variables
      const contract = { id, status: 'ACTIVE', nextBillingDate: date, revisionId: '2' }
      return { subscriptionContractSetNextBillingDate: { contract, userErrors: [] } }
    }
  }
  throw new Error(`This platform has no ${operation}`)
}
