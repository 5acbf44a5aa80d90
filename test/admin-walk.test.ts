// Every operation of the admin API's document works with its example and returns a declared response. Without the operator token,
// and for an unknown store, it changes nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activateOffer } from '#churn'
import { redeemTemplate } from '#loyalty'
import { findCustomerId, parseCustomerId } from '#members'
import { earnPoints } from '#points'
import { testDatabase } from './database.ts'
import { aDeadLetter } from './dead-letter.ts'
import { type Operation, operationsOf } from './openapi.ts'
import { sentReceipt } from './sent-receipt.ts'
import { OPERATOR_TOKEN, startService } from './service-builder.ts'
import { spendByCodes } from './spend-by-codes.ts'
import { aTeam } from './team.ts'
import { appleCertificates, googleAccount } from './wallet-things.ts'

const { url } = await testDatabase()
const service = await startService(url, { trustedProxies: ['127.0.0.1'] })
const base = `${service.urls.public}/admin/api`
const store = await service.aStore({ profile: 'platform' })
const team = aTeam(service)
const document = await call('GET', '/openapi.json', {})
const operations = operationsOf(document.json as Parameters<typeof operationsOf>[0])
const examples = examplesOf(document.json as never)

/** Callers without the token come from an address each: wrong tokens are counted by address. */
let guessers = 0

type Call = { token?: string | null; body?: unknown; type?: string }

async function call(method: string, path: string, { token = OPERATOR_TOKEN, body, type = 'application/json' }: Call) {
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(token !== OPERATOR_TOKEN && { 'x-forwarded-for': `10.0.${guessers >> 8}.${guessers++ & 255}` }),
      ...(body !== undefined && { 'content-type': type })
    },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  })
  const text = await response.text()
  const isJson = /^application\/json/.test(response.headers.get('content-type') ?? '')
  return { status: response.status, type: response.headers.get('content-type'), text, json: isJson && JSON.parse(text) }
}

const ask = async (method: string, path: string, body?: object): Promise<any> => {
  const { status, json, text } = await call(method, store.at + path, { body })
  assert.ok(status < 300, `${method} ${path}: ${status} ${text}`)
  return json
}

/** The example of each operation's body and its type. */
function examplesOf({ paths }: { paths: Record<string, Record<string, any>> }) {
  const all = Object.values(paths).flatMap((methods) => Object.values(methods))
  return new Map<string, { type: string; body: unknown }>(
    all.flatMap(({ operationId, requestBody }) => {
      const [first] = Object.entries<any>(requestBody?.content ?? {})
      return first ? [[operationId, { type: first[0], body: first[1].example }]] : []
    })
  )
}

let people = 0
const aPerson = async () => (await ask('POST', '/sandbox/customers', { email: `walk-${people++}@example.com` })).id
async function anOrder(): Promise<string> {
  const customer = await aPerson()
  return (await ask('POST', '/sandbox/orders', { customer, total: '40.00' })).id
}
async function aSubscription(): Promise<string> {
  const customer = await aPerson()
  await ask('POST', '/sandbox/joins', { customer, plan: 'VIP' })
  return (await service.get('/subscriptions?limit=1', store.key)).body.data[0].id
}
/** The platform's number of a customer whom the service knows. */
async function aKnownCustomer(): Promise<string> {
  await aSubscription()
  return (await ask('GET', '/members?limit=1')).data[0].platform_customer_id
}
async function creditForCodes(credit: string): Promise<void> {
  await spendByCodes(service.db, store.storeId)
  await ask('POST', `${credit}/add`, { amount: '50.00', reason: 'Walk' })
}
const anEndpoint = async () => (await ask('POST', '/webhooks', { url: 'http://127.0.0.1:9/' })).id

const aGoogleWallet = () => ({ issuer_id: '338812', service_account: googleAccount().file })

/** Creates the object of a path parameter. A parameter that is missing here fails the test. */
const THINGS: Record<string, () => Promise<string> | string> = {
  store: () => store.id,
  setting: () => 'svc_agreement',
  key: async () => (await ask('POST', '/keys', { name: 'Walk' })).id,
  person: async () => (await team.person(`walk-${people++}@team.example`, 'support')).id,
  invitation: async () => {
    const email = `walk-${people++}@team.example`
    await service.admin('POST', '/team/invitations', { email, role: 'support' })
    const { data } = await service.admin('GET', '/team/invitations')
    return data.find((one: { email: string }) => one.email === email).id
  },
  plan: async () =>
    (await ask('POST', '/plans', { name: `P${people++}`, type: 'vip', price: 1, interval: 'month' })).id,
  id: aSubscription,
  customer: aKnownCustomer,
  endpoint: anEndpoint,
  webhook_id: async () =>
    (await ask('POST', `/webhooks/${await anEndpoint()}/test`, { event: 'member.created' })).webhook_id,
  integration: async () =>
    (await ask('POST', '/reward-integrations', { key: `walk_${people++}`, pull: { url: 'http://127.0.0.1:9/' } })).key,
  campaign: async () => (await ask('POST', '/wallet/campaigns', { title: 'Walk' })).id,
  rule: async () => {
    const goal = { type: 'goal_spend', name: 'Walk', rules: { goal_amount: 1 } }
    return String((await ask('POST', '/loyalty/rules', { ...goal, reward_rules: { reward_type: 'free_shipping' } })).id)
  },
  tier: async () => {
    const tier = { name: `T${people++}`, entry_rules: { min_orders: 1 } }
    return String((await ask('POST', '/loyalty/tiers', tier)).id)
  },
  template: async () => {
    const template = { name: 'Walk', type: 'percentage', rules: { amount: 5 }, required_points: 1 }
    return String((await ask('POST', '/loyalty/templates', template)).id)
  },
  reward: async () => {
    const discount = { reward_type: 'subscription_discount', discount_type: 'percentage', discount_amount: 10 }
    const rule = { type: 'custom_action', name: 'Walk', rules: { action_key: 'walk' }, reward_rules: discount }
    await ask('POST', '/loyalty/rules', rule)
    const { customer } = await store.member(`reward-walk-${people++}@example.com`)
    await ask('POST', '/loyalty/events', { customer: customer.id, type: 'custom_action', action_key: 'walk' })
    return String((await ask('GET', '/loyalty/subscription-rewards')).data[0].id)
  },
  reason: () => 'other',
  offer: async () => {
    const credit = { type: 'add_store_credits', rules: { credit_amount: 1 } }
    return String((await ask('POST', '/churn/offers', { ...credit, name: 'Walk', reasons: ['other'] })).id)
  },
  accepted_offer: async () => {
    const offerId = Number(await THINGS.offer!())
    const id = Number((await aSubscription()).split('_')[1])
    const acceptance = { subscriptionId: id, offerId, reason: null, isShopper: false, by: 'operator' as const }
    await activateOffer(service.deps, store.storeId, acceptance)
    return String((await ask('GET', '/churn/accepted-offers')).data[0].id)
  },
  coupon: async () => {
    const template = { name: 'Walk', type: 'percentage', rules: { amount: 5 }, required_points: 1 }
    const { id: templateId } = await ask('POST', '/loyalty/templates', template)
    const customer = await aKnownCustomer()
    const coupon = await service.db.inStore(store.storeId, async (ctx) => {
      const memberId = (await findCustomerId(ctx, parseCustomerId(customer, 'platform')))!
      const points = { memberId, points: 1, reason: 'Walk', operationId: `walk:${templateId}`, orderId: null }
      await earnPoints(ctx, [{ ...points, isShared: false, readyAt: null, expireAfterDays: null }])
      return redeemTemplate(ctx, { memberId, templateId, requestId: null })
    })
    return String(coupon.id)
  },
  receipt: async () => {
    const rule = { type: 'upload_receipt', name: 'Walk', reward_rules: { reward_type: 'points' } }
    const { id: ruleId } = await ask('POST', '/loyalty/rules', rule)
    const sent = { customer: await aKnownCustomer(), ruleId, says: `walk-${people++}` }
    return sentReceipt(service.db, store.storeId, sent)
  },
  wallet: async () => {
    await ask('POST', '/wallet/google', aGoogleWallet())
    return 'google'
  },
  listener: async () => (await ask('POST', '/webhook-listeners', {})).id,
  import: async () => (await ask('POST', '/imports', { source: 'csv' })).id,
  privacy_request: async () =>
    (await ask('POST', '/privacy', { topic: 'customers/data_request', customer: await aKnownCustomer() })).id,
  dead_letter: () => service.db.inStore(store.storeId, aDeadLetter),
  attempt: async () => {
    const { customer } = await store.member(`attempt-walk-${people++}@example.com`)
    await store.card(customer.id, 'insufficient_funds')
    await store.advance({ by: 'P32D' })
    const { id } = await ask('GET', `/customers/${customer.id}`)
    const [{ id: subscription }] = (await ask('GET', `/subscriptions?customer_id=${id}`)).data
    return (await ask('GET', `/billing-attempts?subscription_id=${subscription}`)).data[0].id
  },
  // Of the customer whom the path names before.
  code_id: async () => {
    const customer = (await ask('GET', '/members?limit=1')).data[0].platform_customer_id
    const credit = `/store-credits/${customer}`
    await creditForCodes(credit)
    return (await ask('POST', `${credit}/codes`, { amount: '10.00' })).id
  },
  order: async () => {
    const order = await anOrder()
    await service.deps.settle(store.storeId)
    return order
  }
}

/** Fields whose example has an id of another store. */
const OWN: Record<string, () => Promise<unknown>> = {
  customer: aPerson,
  into: aPerson,
  order: anOrder,
  plan_id: () => ask('GET', '/plans').then(({ data }) => data.find((plan: any) => plan.name === 'VIP').id),
  receiver: aPerson,
  store: async () => store.id
}

/** The things that required parameters of a query name. One that is missing here fails the test. */
const ASKED: Record<string, () => Promise<string> | string> = {
  action: () => 'pause',
  contract: aSubscription,
  q: () => 'walk',
  since: () => '2026-01-01T00:00:00Z'
}

/** Preparations of an operation, or a body in place of the example. Most operations need none. */
const SPECIAL: Record<string, { before?: (path: string) => Promise<unknown>; body?: (path: string) => unknown }> = {
  resumeSubscription: { before: (path) => ask('POST', path.replace(/resume$/, 'pause')) },
  reactivateSubscription: {
    before: async (path) => {
      await store.grace(24)
      await ask('POST', path.replace(/reactivate$/, 'cancel'))
    }
  },
  setAppleWallet: {
    body: () => {
      const { certificate, key, wwdr } = appleCertificates()
      return { certificate, key, wwdr }
    }
  },
  setGoogleWallet: { body: aGoogleWallet },
  // The tier of the example exists by then.
  updateLoyaltyTier: { body: () => ({ multiplier_points: 2 }) },
  getOrderImport: { before: () => ask('POST', '/order-import', { since: '2025-01-01' }) },
  getReadIn: { before: (path) => ask('POST', path, {}) },
  revokeGift: { before: async (path) => ask('POST', path, { receiver: await aPerson() }) },
  endWebhookSecretRoll: { before: (path) => ask('POST', path.replace(/end-roll$/, 'roll')) },
  fetchWebhookDeliveries: { body: () => ({ wait_seconds: 0, max: 1 }) },
  recordWebhookResults: {
    body: async (path) => {
      await ask('POST', '/webhook-samples', { event: 'member.created' })
      const { data } = await ask('POST', path.replace(/results$/, 'fetch'), { wait_seconds: 5, max: 1 })
      const [{ handle }] = data
      return { results: [{ handle, duration_ms: 3, response_code: 204, failure: null, response_text: '' }] }
    }
  },
  deductCredit: { before: (path) => ask('POST', path.replace(/deduct$/, 'add'), { amount: '50.00', reason: 'Walk' }) },
  createCreditCode: { before: (path) => creditForCodes(path.replace(/\/codes$/, '')) },
  listRefusedRows: { before: (path) => call('PUT', store.at + path.replace(/refused$/, 'rows'), REFUSED) },
  // The walk has renamed the shop by then.
  deleteStore: { body: () => ask('GET', '').then(({ name }) => ({ name })) },
  seedStore: { body: () => ({ members: 1, months: 1 }) },
  // The example's receiver is https; a sandbox store accepts any receiver.
  createWebhookEndpoint: { body: () => ({ url: 'http://127.0.0.1:9/' }) },
  updateWebhookEndpoint: { body: () => ({ description: 'Walk' }) }
}
const REFUSED = { type: 'application/x-ndjson', body: '{"contract_id":"no number"}\n' }

/** The last ones, since they disconnect the store, and then delete it. */
const LAST = ['uninstallSandboxApp', 'disconnectStore', 'deleteStore']
const inOrder = [...operations].sort((a, b) => LAST.indexOf(a.id) - LAST.indexOf(b.id))

const requiredOf = ({ parameters }: Operation) => parameters.filter((one) => one.in === 'query' && one.required)

async function pathOf(operation: Operation): Promise<string> {
  let filled = operation.path
  for (const [place, name] of operation.path.matchAll(/\{(\w+)\}/g)) {
    const thing = THINGS[name!]
    assert.ok(thing, `the walk does not know what ${place} names`)
    filled = filled.replace(place!, await thing())
  }
  for (const [i, { name }] of requiredOf(operation).entries()) {
    const thing = ASKED[name]
    assert.ok(thing, `the walk does not know what ${name} names`)
    filled += `${i === 0 ? '?' : '&'}${name}=${await thing()}`
  }
  return filled
}

/** The body of the example with ids of the store; null if the operation has none. */
async function bodyOf({ id }: Operation, path: string): Promise<Pick<Call, 'body' | 'type'>> {
  const example = examples.get(id)
  if (!example || typeof example.body === 'string') return example ?? {}
  const special = await SPECIAL[id]?.body?.(path)
  if (special) return { body: special }
  const body: Record<string, unknown> = { ...(example.body as object) }
  for (const [name, make] of Object.entries(OWN)) if (typeof body[name] === 'string') body[name] = await make()
  return { body }
}

test('a body that a rule refuses as a whole is named', async () => {
  const plan = await ask('POST', '/plans', { name: 'Unchanged', type: 'vip', price: 5, interval: 'month' })
  const { id } = await ask('POST', '/imports', { source: 'csv' })
  for (const [method, path, body, type] of [
    ['POST', '/clock/advance', {}],
    ['POST', '/clock/advance', { by: 'P1D', to: '2030-01-01T00:00:00Z' }],
    ['POST', '/sandbox/webhook-faults', {}],
    ['POST', '/sandbox/charge-faults', {}],
    ['PATCH', `/plans/${plan.id}`, {}],
    ['POST', `/plans/${plan.id}/versions`, { price: 5, apply_to: 'new' }],
    ['PUT', `/imports/${id}/rows`, 'colour\n', 'text/csv']
  ] as const) {
    const { status, json, text } = await call(method, store.at + path, { body, ...(type && { type }) })
    assert.deepEqual([status, json.error?.details?.map(({ field }: { field: string }) => field)], [400, ['body']], text)
  }
})

for (const operation of inOrder) {
  const { id, method } = operation

  test(`${id}: works with its example and returns a declared response`, async () => {
    const path = await pathOf(operation)
    const inStore = path.slice(store.at.length)
    await SPECIAL[id]?.before?.(inStore)
    const { status, text, json, type } = await call(method, path, await bodyOf(operation, inStore))
    assert.ok(status >= 200 && status < 300, `${status} ${text}`)
    if (json) return assert.equal(operation.fits(status, json), true, text)
    if (type === 'image/png') return assert.equal(operation.fits(status, text, type), true)
    if (id === 'exportMembers') return assert.match(text, /^customer_id,email,/)
    assert.match(type!, /^(application\/x-ndjson|text\/csv)/)
    const lines = text.trimEnd().split('\n')
    for (const line of lines.filter((line) => line !== '')) {
      assert.equal(operation.fits(status, JSON.parse(line), 'application/x-ndjson'), true, line)
    }
  })

  test(`${id}: is refused without the operator token`, async () => {
    const path = operation.path.replace('{store}', store.id).replace(/\{\w+\}/g, 'x')
    for (const token of [null, '', `${OPERATOR_TOKEN}x`, store.key]) {
      const { status, json } = await call(method, path, { token, body: method === 'GET' ? undefined : {} })
      assert.deepEqual([status, json.error.code], [401, 'authentication_failed'])
      assert.equal(operation.fits(status, json), true)
    }
  })

  if (!operation.path.includes('{store}')) continue
  test(`${id}: an unknown store is 404`, async () => {
    const filled = operation.path.replace('{store}', 'nowhere.example').replace(/\{\w+\}/g, 'x')
    const path = `${filled}?${requiredOf(operation).map(({ name, example }) => `${name}=${example ?? 'x'}`)}`
    const { status, json } = await call(method, path, examples.get(id) ?? {})
    assert.equal(status, 404)
    assert.deepEqual(json, { error: { code: 'not_found', message: 'There is no store nowhere.example' } })
    assert.equal(operation.fits(status, json), true)
  })
}

test('an undeclared parameter is refused', async () => {
  for (const { id, method, path } of operations) {
    const filled = path.replace('{store}', store.id).replace(/\{\w+\}/g, 'x')
    const { status, json } = await call(method, `${filled}?nope=1`, examples.get(id) ?? {})
    assert.equal(status, 400, path)
    assert.match(json.error.message, /nope is not a parameter here/, path)
  }
})
