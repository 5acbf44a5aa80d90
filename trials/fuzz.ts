import assert from 'node:assert/strict'
import http from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { audit } from '#audit'
import { changeCredits, reserveCredit } from '#credits'
import type { Database } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { giftSubscription } from '#lifecycle'
import { reactivationGraceSettings } from '#lifecycle/settings'
import { requestCode } from '#spending'
import { updateSettings } from '#stores'
import { createEndpoint, sendSample } from '#webhooks'
import { at, attemptsOf, joined, START } from '../src/http/rest/subscription.test-helper.ts'
import { addGiftCardRow } from '../test/gift-card-row.ts'
import { operationsOf } from '../test/openapi.ts'
import { aPlan } from '../test/plan-builder.ts'
import { startServiceHere } from '../test/service-here.ts'
import { aStore, testVault } from '../test/store-builder.ts'
import { type FuzzRequest, fuzzRequests } from './fuzz-requests.ts'
import { listenHere } from './listen-here.ts'
import { type RawResponse, sendRaw } from './send-raw.ts'
import { WITHOUT_LIMIT } from './without-limit.ts'

const WORKERS = 16
const SENDING = { vault: testVault, addresses: { loopback: true, allow: [] } }
const ON_EVERY_RESPONSE = ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

export type FuzzTrial = { databaseUrl: string; db: Database; requests: number; seed: number }
export type FuzzReport = {
  requests: number
  byStatus: Record<string, number>
  /** Operations that never succeeded, since every request was invalid or came at the wrong time. */
  neverDone: string[]
  longestStallMs: number
}

/**
 * Sends valid and invalid requests generated from the published document over a socket. Throws, with the request, if a response
 * is an internal error, has a status or body that the document does not declare, or lacks the headers of every response; and if
 * the auditor has findings afterwards.
 */
export async function fuzz({ databaseUrl, db, requests, seed }: FuzzTrial): Promise<FuzzReport> {
  const service = await startServiceHere(databaseUrl, { budgets: WITHOUT_LIMIT })
  const platform = await platformWithoutCustomers()
  const agent = new http.Agent({ keepAlive: true, maxSockets: WORKERS })
  try {
    return await fuzzService({ service, platformUrl: platform.url, agent, db, requests, seed })
  } finally {
    agent.destroy()
    await service.stop()
    platform.close()
  }
}

type Parts = Omit<FuzzTrial, 'databaseUrl'> & {
  service: Awaited<ReturnType<typeof startServiceHere>>
  platformUrl: string
  agent: http.Agent
}

async function fuzzService({ service, platformUrl, agent, db, requests, seed }: Parts): Promise<FuzzReport> {
  const port = Number(new URL(service.url).port)
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Parameters<typeof operationsOf>[0]
  const operations = operationsOf(document)
  const store = await aStore(db, { clockAt: at(START), platformUrl })
  const key = await store.aKey()
  await store.inStore((ctx) => updateSettings(ctx, reactivationGraceSettings, 720))
  const [members, customers, subscriptions, attempts, endpoints, deliveries]: string[][] = [[], [], [], [], [], []]
  for (let i = 0; i < 30; i++) {
    // Half of them two months ago, so that their failed charge can be retried.
    const since = i % 2 ? START : '2025-11-30T15:00:00Z'
    const { contract, memberId, subscriptionId } = await joined(store, since)
    const [before] = members!.slice(-1)
    if (before && i % 3 === 0) {
      await store.inStore((ctx) => giftSubscription(ctx, subscriptionId, Number(before.slice('mem_'.length)), 'api'))
    }
    members!.push(`mem_${memberId}`)
    customers!.push(`cust_${memberId}`, contract.customer!.id)
    subscriptions!.push(`sub_${subscriptionId}`)
    for (const { id } of await attemptsOf(store, subscriptionId)) attempts!.push(`ba_${id}`)
    const endpoint = await createEndpoint(db, store.storeId, { url: 'http://127.0.0.1:9/' }, SENDING)
    endpoints!.push(endpoint.id)
    deliveries!.push((await store.inStore((ctx) => sendSample(ctx, endpoint.id, 'billing.failed'))).webhookId)
  }
  await aPlan(store, { name: 'Codes', creditType: 'coupon' })
  const reservations: { customer_id: string; reservation_id: string }[] = []
  const codes: { customer_id: string; code_id: string }[] = []
  for (const [i, customer] of customers!.filter((id) => id.startsWith('cust_')).entries()) {
    const memberId = Number(customer.slice('cust_'.length))
    const change = { memberId, amountMinor: 5000, reason: 'fuzz', operationId: `fuzz:${i}` }
    await store.inStore(async (ctx) => {
      await changeCredits(ctx, [{ ...change, type: 'manual_add' }])
      const expiresAt = ctx.now.add({ hours: 24 })
      const [held] = await reserveCredit(ctx, [{ ...change, amountMinor: 1000, expiresAt }])
      reservations.push({ customer_id: customer, reservation_id: `scr_${held!.reservation!.id}` })
      const code = await requestCode(ctx, { memberId, amountMinor: 1000, minutes: 1440 })
      codes.push({ customer_id: customer, code_id: `scc_${code.id}` })
    })
    await addGiftCardRow(db, store.storeId, customer)
  }
  const ids = {
    member_id: members!,
    customer_id: customers!,
    subscription_id: subscriptions!,
    attempt_id: attempts!,
    endpoint_id: endpoints!,
    delivery_id: deliveries!,
    reservation_id: reservations.map(({ reservation_id }) => reservation_id),
    code_id: codes.map(({ code_id }) => code_id)
  }

  const next = fuzzRequests(operations, ids, randomFrom(seed), [...reservations, ...codes])
  const byStatus: Record<string, number> = {}
  const neverDone = new Set(operations.map(({ id }) => id))
  const stalls = monitorEventLoopDelay({ resolution: 5 })
  stalls.enable()
  let sent = 0
  const sure = (id: string, path: string, body: string): FuzzRequest => {
    const operation = operations.find((one) => one.id === id)!
    const headers = { 'content-type': 'application/json' }
    return { operation, method: operation.method, target: `/v1${path}`, headers, body: Buffer.from(body) }
  }
  const sendOne = async (request: FuzzRequest) => {
    sent++
    const headers = { ...request.headers, authorization: `Bearer ${key}` }
    const result = await sendRaw(agent, port, { ...request, headers })
    check(request, result)
    byStatus[result.status] = (byStatus[result.status] ?? 0) + 1
    if (result.status === 200 && request.operation) neverDone.delete(request.operation.id)
  }
  const worker = async () => {
    while (sent < requests) await sendOne(next())
  }
  // First, since random requests soon leave no subscription that can still be changed, and seldom name what there is.
  await sendOne(sure('changeSubscription', `/subscriptions/${subscriptions![0]}`, '{"price":31}'))
  await sendOne(sure('retryBillingAttempt', `/billing-attempts/${attempts![0]}/retry`, '{}'))
  await sendOne(
    sure('giftSubscription', `/subscriptions/${subscriptions![1]}/gift`, `{"receiver":"${customers!.at(-2)}"}`)
  )
  await Promise.all(Array.from({ length: WORKERS }, worker))
  stalls.disable()
  const { findings } = await store.inStore(audit)
  // The attempts were inserted without their events, and no engine bills what a request makes due.
  const expected = ['attempt_events_complete', 'charges_not_missed']
  assert.deepEqual(
    findings.filter(({ check }) => !expected.includes(check)),
    []
  )
  return { requests: sent, byStatus, neverDone: [...neverDone], longestStallMs: Math.round(stalls.max / 1e6) }
}

/** Unknown customers are looked up on this platform, which has none. */
async function platformWithoutCustomers() {
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { variables } = JSON.parse(Buffer.concat(chunks).toString())
    const customers = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }
    const nodes = Array.isArray(variables.ids) ? variables.ids.map(() => null) : []
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: { customers, nodes } }))
  })
  return listenHere(server)
}

function check(
  { operation, method, target, headers, body }: FuzzRequest,
  { status, headers: got, text }: RawResponse
): void {
  const requestText = `${method} ${target.slice(0, 300)} ${JSON.stringify(headers)} ${body?.toString().slice(0, 300)}`
  const responseText = `${status} ${text.slice(0, 500)}`
  const fail = (what: string) => assert.fail(`${what}\n  asked: ${requestText}\n  answered: ${responseText}`)
  if (status >= 500) fail('a fault of ours')
  for (const name of ON_EVERY_RESPONSE) if (got[name] === undefined) fail(`without ${name}`)
  if (!/^application\/json/.test(got['content-type'] ?? '')) fail('not JSON')
  const result = JSON.parse(text)
  const fits = operation?.fits(status, result)
  if (fits === false) fail('not as declared')
  if (fits === true) return
  // A request for no declared operation may only be refused.
  if (![400, 404].includes(status)) fail('a status that is not declared')
  if (typeof result.error?.code !== 'string' || typeof result.error.message !== 'string') fail('not an error')
}
