// The connector and inbound webhooks against the sandbox platform, over its socket.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import {
  compareRevisions,
  type InboundMessage,
  parseAttemptPayload,
  parseContractPayload,
  parseCustomerPayload,
  parseOrderPayload,
  parsePaymentMethodPayload,
  readWebhookHeaders,
  receiveWebhook,
  requestedScopes
} from '#platform'
import { startSandbox, type TestShop } from '../sandbox/start-sandbox.test-helper.ts'
import { createInboundEngine } from '../src/sync/inbound-engine.ts'
import { connectorTo } from './connectors.ts'
import { testDatabase } from './database.ts'
import { theFailure, theValue } from './fake-platform.ts'
import { aStore } from './store-builder.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db, requestedScopes)

const TERMS = { name: 'VIP', priceMinor: 2900, currency: 'USD', interval: 'month', intervalCount: 1 } as const

/** A shop with a plan, and a connector to the shop. */
async function aShop(given: Parameters<typeof sandbox.aShop>[0] = {}) {
  const shop = await sandbox.aShop(given)
  const connector = connectorOf(shop)
  const plan = theValue(await connector.products.createPlan(TERMS))
  return { shop, connector, plan }
}

function connectorOf({ storeId, base, shop }: TestShop, accessToken = shop.accessToken) {
  return connectorTo({ storeId, profile: 'platform', url: base, accessToken })
}

const joined = async ({ sandbox, storeId }: TestShop, email = 'ada@example.com') => {
  const { id: customerId } = await sandbox.controls.createCustomer({ storeId, email, firstName: 'Ada', country: 'US' })
  return { customerId, ...(await sandbox.controls.join({ storeId, customerId, plan: 'VIP' })) }
}

/** `cycle` 2 is the first renewal. */
const attemptFor = (contractId: string, shop: TestShop, cycleIndex = 2) => ({
  contractId,
  idempotencyKey: `sub_1:${cycleIndex}:0`,
  originTime: shop.now,
  cycleAt: Temporal.ZonedDateTime.from('2026-01-31T10:00[America/New_York]')
    .add({ months: cycleIndex - 1 })
    .toInstant()
})

test('reads the shop; a wrong token is unauthorized', async () => {
  const { shop, connector } = await aShop()
  assert.deepEqual(theValue(await connector.shop.read()), {
    name: 'Corner shop',
    domain: shop.shop.domain,
    timezone: 'America/New_York',
    currency: 'USD'
  })
  assert.equal(theFailure(await connectorOf(shop, 'wrong').shop.read()).kind, 'unauthorized')
})

test('creating a plan twice creates one, and a customer can join it at its price', async () => {
  const { shop, connector, plan } = await aShop()
  assert.deepEqual(theValue(await connector.products.createPlan(TERMS)), plan)
  assert.deepEqual(theValue(await connector.products.createPlan({ ...TERMS, priceMinor: 3150 })), plan)
  const { customerId, contractId, orderId } = await joined(shop)

  const contract = theValue(await connector.contracts.find(contractId))!
  assert.deepEqual([...theValue(await connector.contracts.findMany([contractId, '999999']))], [[contractId, contract]])
  assert.equal(contract.status, 'active')
  assert.equal(contract.priceMinor, 3150)
  assert.equal(contract.customer?.id, customerId)
  assert.equal(contract.originOrder?.id, orderId)
  assert.deepEqual([contract.interval, contract.intervalCount], ['month', 1])
  assert.equal(contract.nextBillingDate?.toString(), '2026-02-28T15:00:00Z')
  assert.deepEqual(
    contract.lines.map((line) => [line.productId, line.variantId, line.sellingPlanId, line.priceMinor]),
    [[plan.productId, plan.variantId, plan.sellingPlanId, 3150]]
  )
  const order = theValue(await connector.orders.findMany([orderId])).get(orderId)!
  assert.deepEqual([order.totalMinor, order.financialStatus, order.customerId], [3150, 'paid', customerId])
  assert.equal(theValue(await connector.contracts.find('999999')), null)
})

test('a charge succeeds, and its key charges once', async () => {
  const { shop, connector } = await aShop()
  const { contractId } = await joined(shop)
  shop.advance({ hours: 24 * 28 })
  const request = attemptFor(contractId, shop)
  const first = theValue(await connector.billing.createAttempt(request))
  await shop.settle()
  const again = theValue(await connector.billing.createAttempt(request))
  assert.equal(again.id, first.id)
  const attempt = theValue(await connector.billing.findAttempts([first.id])).get(first.id)!
  assert.equal(attempt.state, 'success')
  assert.equal(attempt.contractId, contractId)
  assert.equal(attempt.order?.totalMinor, 2900)
  assert.match(attempt.paymentMethod?.lastFour ?? '', /^\d{4}$/)
  assert.deepEqual(theValue(await connector.billing.findAttemptsByKeys(contractId, [request.idempotencyKey])), [
    attempt
  ])
  assert.deepEqual(theValue(await connector.billing.findAttemptsByKeys(contractId, ['sub_1:3:0'])), [])
})

test('a declined charge, a challenge and a lost response are distinguished', async () => {
  const { shop, connector } = await aShop()
  const { customerId, contractId } = await joined(shop)
  const { storeId } = shop
  const set = (outcome: string) => shop.sandbox.controls.setCard({ storeId, customerId, outcome })
  const charge = async (cycleIndex: number) => {
    const result = await connector.billing.createAttempt(attemptFor(contractId, shop, cycleIndex))
    await shop.settle()
    return result
  }

  await set('insufficient_funds')
  const declined = theValue(await charge(2))
  const recorded = theValue(await connector.billing.findAttempts([declined.id])).get(declined.id)!
  assert.deepEqual([recorded.state, recorded.errorCode], ['failed', 'insufficient_funds'])
  assert.ok(recorded.errorMessage)

  await set('lost')
  assert.equal(theFailure(await charge(3)).outcomeUnknown, true)
  assert.equal(theValue(await connector.billing.findAttemptsByKeys(contractId, ['sub_1:3:0']))[0]?.state, 'success')

  await set('3ds')
  const challenged = theValue(await charge(4))
  const waiting = theValue(await connector.billing.findAttempts([challenged.id])).get(challenged.id)!
  assert.equal(waiting.state, 'action_required')
  assert.match(waiting.nextActionUrl!, /^http/)
})

test('the date of a cycle identifies the same cycle of the platform for every attempt, even if dates were moved', async () => {
  const { shop, connector } = await aShop({ chargeFaults: null })
  const { contractId } = await joined(shop)
  let tries = 0
  const charge = async (cycleAt: Temporal.Instant) => {
    const request = { contractId, idempotencyKey: `try-${++tries}`, originTime: cycleAt, cycleAt }
    const { id } = theValue(await connector.billing.createAttempt(request))
    await shop.settle()
    return theValue(await connector.billing.findAttempts([id])).get(id)!
  }
  const at = (text: string) => Temporal.Instant.from(text)
  const paid = async (date: Temporal.Instant) => {
    const payment = theValue(await connector.billing.findPaymentOfCycle(contractId, date))
    return payment?.idempotencyKey ?? null
  }
  const again = async (date: Temporal.Instant) => assert.equal((await charge(date)).errorCode, 'invoice_already_paid')

  const second = at('2026-02-28T15:00:00.999Z')
  assert.equal(await paid(second), null)
  assert.equal((await charge(second)).state, 'success')
  assert.equal(await paid(second), 'try-1')
  await again(second)
  // The next date is set, as after each payment, and then changed, as an operator can.
  for (const date of ['2026-03-31T14:00:00Z', '2026-04-11T09:30:00Z']) {
    theValue(await connector.contracts.setNextBillingDate(contractId, at(date)))
    await again(second)
  }
  const moved = at('2026-04-11T09:30:00Z')
  assert.equal((await charge(moved)).state, 'success')
  await again(moved)
  theValue(await connector.contracts.setNextBillingDate(contractId, at('2026-05-11T09:30:00Z')))
  await again(moved)
  // Charged late, after the date of the next cycle.
  shop.advance({ hours: 24 * 150 })
  assert.equal((await charge(at('2026-05-11T09:30:00Z'))).state, 'success')
  await again(at('2026-05-11T09:30:00Z'))
})

test('a contract is paused and resumed, and a charge while it is paused is rejected', async () => {
  const { shop, connector } = await aShop()
  const { contractId } = await joined(shop)
  const paused = theValue(await connector.contracts.pause(contractId))
  assert.equal(paused.status, 'paused')
  const failure = theFailure(await connector.billing.createAttempt(attemptFor(contractId, shop)))
  assert.deepEqual([failure.kind, failure.code], ['rejected', 'contract_paused'])

  const active = theValue(await connector.contracts.activate(contractId))
  assert.equal(active.status, 'active')
  assert.equal(compareRevisions(paused.revision, active.revision), -1)
  const at = shop.now.add({ hours: 24 * 40 })
  assert.deepEqual(theValue(await connector.contracts.setNextBillingDate(contractId, at)).nextBillingDate, at)
  assert.equal(theValue(await connector.contracts.fail(contractId)).status, 'failed')
  assert.equal(theValue(await connector.contracts.cancel(contractId)).status, 'cancelled')
  assert.equal(theFailure(await connector.contracts.pause('999999')).kind, 'rejected')
})

const PARSERS: Record<string, (payload: unknown) => unknown> = {
  'customers/create': parseCustomerPayload,
  'customers/update': parseCustomerPayload,
  'orders/create': parseOrderPayload,
  'orders/paid': parseOrderPayload,
  'subscription_contracts/create': parseContractPayload,
  'subscription_contracts/update': parseContractPayload,
  'subscription_contracts/pause': parseContractPayload,
  'subscription_billing_attempts/success': parseAttemptPayload,
  'subscription_billing_attempts/failure': parseAttemptPayload,
  'subscription_billing_attempts/challenged': parseAttemptPayload,
  'customer_payment_methods/update': parsePaymentMethodPayload
}

test("all webhooks of a subscription's life are accepted and can be read", async () => {
  const { shop, connector } = await aShop()
  const { storeId } = await aStore(db)
  const store = { storeId, appSecret: shop.shop.appSecret, profile: 'platform' } as const
  const statuses = new Set<number>()
  const door = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const headers = readWebhookHeaders(req.headers)
    const { status } = headers ? await receiveWebhook(db, store, headers, Buffer.concat(chunks)) : { status: 401 }
    statuses.add(status)
    res.writeHead(status).end()
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  after(() => void door.close())
  const uri = `http://127.0.0.1:${(door.address() as AddressInfo).port}/platform/webhooks`
  const topics = Object.keys(PARSERS)
  assert.deepEqual(theValue(await connector.webhookSubscriptions.ensure(uri, topics)).created, topics)
  assert.deepEqual(theValue(await connector.webhookSubscriptions.ensure(uri, topics)).unchanged, topics)

  const { customerId, contractId } = await joined(shop)
  for (const [i, outcome] of ['duplicate', 'card_declined', '3ds'].entries()) {
    await shop.sandbox.controls.setCard({ storeId: shop.storeId, customerId, outcome })
    theValue(await connector.billing.createAttempt(attemptFor(contractId, shop, 2 + i)))
    await shop.settle()
  }
  theValue(await connector.contracts.setNextBillingDate(contractId, shop.now.add({ hours: 24 * 40 })))
  theValue(await connector.contracts.pause(contractId))
  await shop.settle()
  assert.deepEqual([...statuses], [200])

  const seen = new Map<string, unknown[]>()
  const read = (topic: string) => async (_deps: unknown, _storeId: number, messages: InboundMessage[]) => {
    const parsed = messages.map((message) => PARSERS[topic]!(message.payload))
    seen.set(topic, [...(seen.get(topic) ?? []), ...parsed])
  }
  const handlers = Object.fromEntries(topics.map((topic) => [topic, read(topic)]))
  const deps = { db, leaseOwner: 1, connectorOf: async () => connector, checkUninstalled: async () => {} }
  const engine = createInboundEngine(deps, handlers)
  while ((await engine.runOnce(storeId)) > 0);
  assert.equal(await engine.nextDueAt(storeId), null)

  const missing = topics.filter((topic) => !seen.has(topic))
  assert.deepEqual(missing, ['customers/update'])
  // Sent twice by the platform, stored once.
  assert.equal(seen.get('subscription_billing_attempts/success')!.length, 1)
  const [declined] = seen.get('subscription_billing_attempts/failure') as [{ errorCode: string; contractId: string }]
  assert.deepEqual([declined.errorCode, declined.contractId], ['card_declined', contractId])
})

test('the webhook and the connector return the same order', async () => {
  const { shop, connector } = await aShop()
  const got = await shop.aReceiver(['ORDERS_CREATE'])
  const { customerId } = await joined(shop)
  await shop.sandbox.controls.order({ storeId: shop.storeId, customerId, total: '40.00' })
  await shop.settle()
  for (const { body } of got) {
    const { details, ...recorded } = parseOrderPayload(body)
    assert.deepEqual(recorded, theValue(await connector.orders.findMany([recorded.id])).get(recorded.id))
    const { details: read, ...whole } = theValue(await connector.orders.findWhole([recorded.id])).get(recorded.id)!
    assert.deepEqual(recorded, whole)
    // Only a read has the app's name, selling plans and contracts, and the transactions that have messages of their own.
    const { transactions, appId, appName, lines, ...rest } = read!
    const asInMessages = lines.map((line) => ({ ...line, sellingPlanId: null, contractId: null }))
    const unsaid = { transactions: [], appId: details!.appId, appName: null }
    assert.deepEqual({ ...rest, ...unsaid, lines: asInMessages }, details)
    assert.deepEqual(
      transactions.map(({ kind, status, amountMinor }) => [kind, status, amountMinor]),
      [['sale', 'success', recorded.totalMinor]]
    )
    assert.ok(appId !== null && appName !== null)
    // One of the two is the checkout of a membership.
    if (recorded.totalMinor === 2900) assert.ok(lines[0]!.sellingPlanId !== null && lines[0]!.contractId !== null)
  }
  assert.equal(got.length, 2)
})

test('no request of this file caused an internal error in the sandbox', () => {
  assert.deepEqual(sandbox.bugs, [])
})
