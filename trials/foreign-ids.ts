// The key of one store and the ids of another: the same response as for ids that do not exist, and nothing changes.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { audit } from '#audit'
import { realNow } from '#kit/clock'
import { type Database, int, row, sql, text, textList } from '#kit/postgres'
import { storeByDomain } from '#stores'
import { type Operation, operationsOf } from '../test/openapi.ts'
import { OPERATOR_TOKEN, startServiceHere } from '../test/service-here.ts'
import { WITHOUT_LIMIT } from './without-limit.ts'

export type ForeignTrial = { databaseUrl: string; db: Database }
export type ForeignReport = { operations: number; paths: number; filters: number; fields: number; keys: number }

type Service = Awaited<ReturnType<typeof startServiceHere>>
type Store = Awaited<ReturnType<typeof aStoreOfThings>>

/** The ids of a store's objects. `order`, `platformCustomer` and `paymentMethod` are the platform's. */
type Things = Record<Thing, string>
type Thing =
  | 'member'
  | 'customer'
  | 'platformCustomer'
  | 'email'
  | 'subscription'
  | 'attempt'
  | 'plan'
  | 'endpoint'
  | 'delivery'
  | 'key'
  | 'listener'
  | 'import'
  | 'deadLetter'
  | 'order'
  | 'contract'
  | 'paymentMethod'
  | 'handle'

/** Well-formed ids that do not exist. */
const UNKNOWN: Things = {
  member: 'mem_987654321',
  customer: 'cust_987654321',
  platformCustomer: '987654321987654321',
  email: 'nobody-at-all@example.com',
  subscription: 'sub_987654321',
  attempt: 'ba_987654321',
  plan: 'plan_987654321',
  endpoint: 'we_987654321',
  delivery: `wh_${'9'.repeat(32)}`,
  key: 'key_987654321',
  listener: 'we_987654321',
  import: 'imp_987654321',
  deadLetter: 'webhooks:987654321',
  order: '987654321987654321',
  contract: '987654321987654321',
  paymentMethod: 'gid://platform/CustomerPaymentMethod/00000000000000000000',
  handle: 'eyJ0IjoxfQ'
}

/** What each path parameter names. One that is missing here fails the trial, and so does a filter or a field of a body below. */
const PATH_IDS: Record<string, Thing[]> = {
  member_id: ['member'],
  customer_id: ['customer', 'platformCustomer'],
  subscription_id: ['subscription'],
  id: ['subscription'],
  attempt_id: ['attempt'],
  endpoint_id: ['endpoint'],
  endpoint: ['endpoint'],
  delivery_id: ['delivery'],
  webhook_id: ['delivery'],
  key: ['key'],
  plan: ['plan'],
  listener: ['listener'],
  import: ['import'],
  dead_letter: ['deadLetter']
}

const FILTER_IDS: Record<string, Thing[]> = {
  plan_id: ['plan'],
  customer_id: ['customer', 'platformCustomer'],
  subscription_id: ['subscription'],
  customer: ['customer', 'platformCustomer'],
  endpoint: ['endpoint'],
  object: ['subscription'],
  email: ['email']
}

const FIELD_IDS: Record<string, Thing[]> = {
  customer: ['customer', 'platformCustomer', 'email'],
  into: ['platformCustomer'],
  receiver: ['customer', 'platformCustomer', 'email'],
  order: ['order'],
  plan_id: ['plan'],
  payment_method_id: ['paymentMethod'],
  endpoint: ['endpoint'],
  results: ['handle']
}

/** Names of parameters and fields that look like ids of a store's objects, and why they are none. */
const NO_IDS: Record<string, string> = {
  store: 'the store itself, which the operator names',
  variant_id: "the platform's number of a product's variant, which is not ours",
  product_ids: "the platform's numbers of products, which are not ours",
  before: 'a place in a list, which the store of the path bounds',
  after: 'a place in a list, which the store of the path bounds',
  plan: 'the name of a tariff, or of a plan in the sandbox',
  'member.email': 'a new address'
}
/** Fields whose ids only the platform knows: what is asked of it waits, and the platform refuses it. The other store must not change. */
const ASKED_OF_THE_PLATFORM = new Set(['payment_method_id'])
const LOOKS_LIKE_AN_ID =
  /(_ids?|^customer|^order|^receiver|^plan|^endpoint|^into|^object|^handle|^results|^before|^after|^store)$/

/** Bodies with which an operation works, in place of its example; ids in them are filled in. */
const BODIES: Record<string, object> = {
  createWebhookEndpoint: { url: 'http://127.0.0.1:9/hooks' },
  updateWebhookEndpoint: { description: 'Walk' },
  updateMember: { loyalty_points: 7 },
  'rest changeSubscription': { price: 31 },
  cancelSubscription: { reason: 'too_expensive' },
  pauseSubscription: { duration: 3 },
  resumeSubscription: {},
  fetchWebhookDeliveries: { wait_seconds: 0, max: 1 },
  joinSandboxPlan: { customer: '', plan: 'VIP' },
  deleteStore: { name: 'Nobody' }
}

/** What may be sent with a field of a body where the example is about something else. */
const FIELDS_WITH: Record<string, object> = {
  'payment_method_id createSubscription': { customer: 'own', plan_id: 'own', next_billing_date: '2030-01-31' },
  'receiver createSubscription': { customer: 'own', plan_id: 'own', next_billing_date: '2030-01-31' }
}

/**
 * Two stores that have one of everything. Every operation of both API documents is called in the first store with each id of the
 * second: in the path, in each filter, in each field of a body. The response must be that of an id that does not exist, and the rows
 * of both stores must stay as they are. The proxy and a key whose store's number was changed are tried too. An operation with a
 * parameter that is not known here fails. Throws otherwise.
 */
export async function askForForeignIds({ databaseUrl, db }: ForeignTrial): Promise<ForeignReport> {
  const service = await startServiceHere(databaseUrl, { budgets: WITHOUT_LIMIT, trustedProxies: ['127.0.0.1'] })
  try {
    return await walk(service, db)
  } finally {
    await service.stop()
  }
}

async function walk(service: Service, db: Database): Promise<ForeignReport> {
  const [mine, theirs] = [await aStoreOfThings(service), await aStoreOfThings(service)]
  const tables = await storeTables(db)
  const content = () => Promise.all([mine, theirs].map(({ storeId }) => storeContent(db, tables, storeId)))
  const report: ForeignReport = { operations: 0, paths: 0, filters: 0, fields: 0, keys: 0 }
  let before = await content()

  for (const surface of ['rest', 'admin'] as const) {
    const base = surface === 'rest' ? `${service.url}/v1` : `${service.url}/admin/api`
    const token = surface === 'rest' ? mine.key : OPERATOR_TOKEN
    for (const operation of await operationsFrom(service, surface)) {
      report.operations++
      const send = (path: string, query: string, body: unknown) =>
        call(operation.method, `${base}${path}${query}`, token, body)
      const own = ownRequest(operation, surface, mine)

      for (const { name, thing } of idsOf(operation, 'path', PATH_IDS)) {
        const ask = (id: string) =>
          send(operation.path.replace('{store}', mine.id).replace(`{${name}}`, encodeURIComponent(id)), '', own.body)
        const what = `${surface} ${operation.id} with ${thing} in its path`
        assertSame(what, await ask(theirs.things[thing]), await ask(UNKNOWN[thing]), theirs.things[thing], thing)
        report.paths++
      }
      for (const { name, thing } of idsOf(operation, 'query', FILTER_IDS)) {
        const ask = (id: string) => send(own.path, `?${name}=${encodeURIComponent(id)}`, undefined)
        const what = `${surface} ${operation.id} filtered by ${name}`
        const foreign = await ask(theirs.things[thing])
        assertSame(what, foreign, await ask(UNKNOWN[thing]), theirs.things[thing], thing, true)
        // Otherwise the filter would find nothing at all.
        const found = await ask(mine.things[thing])
        assert.ok(found.status === 200 && found.text !== foreign.text, `${what}: ${found.status} ${found.text}`)
        report.filters++
      }
      for (const { name, thing } of fieldsOf(operation)) {
        const others = FIELDS_WITH[`${name} ${operation.id}`]
        const rest = others ? withOwn(others, mine) : name in own.body ? own.body : {}
        const ask = (things: Things) => send(own.path, '', { ...rest, [name]: fieldValue(name, thing, things) })
        const what = `${surface} ${operation.id} with ${thing} in ${name}`
        const isAsked = ASKED_OF_THE_PLATFORM.has(name)
        assertSame(what, await ask(theirs.things), await ask(UNKNOWN), theirs.things[thing], thing, isAsked)
        // A listener that reports anything stays open for longer.
        if (isAsked || name === 'results') before = [(await content())[0]!, before[1]!]
        report.fields++
      }
      assert.deepEqual(await content(), before, `${surface} ${operation.id} has changed rows of one of the stores`)
    }
  }

  // The number in a key says where it is looked for; the rest must be a key of that store.
  const numbered = (key: string, storeId: number) => key.replace(/_[0-9a-z]+_(?=\w+$)/, `_${storeId.toString(36)}_`)
  for (const key of [numbered(mine.key, theirs.storeId), numbered(theirs.key, mine.storeId)]) {
    assert.ok(key !== mine.key && key !== theirs.key, `the key has no number: ${key.slice(0, 8)}`)
    assert.equal((await call('GET', `${service.url}/v1/members`, key, undefined)).status, 401)
    report.keys++
  }
  const throughMine = await cancelThroughProxy(service, db, mine, theirs.things)
  assert.equal(throughMine.status, 404, throughMine.text)
  assert.deepEqual(await content(), before)
  for (const { storeId } of [mine, theirs]) assert.deepEqual((await db.inStore(storeId, audit)).findings, [])
  return report
}

async function operationsFrom(service: Service, surface: 'rest' | 'admin'): Promise<Operation[]> {
  const url = surface === 'rest' ? '/openapi.json' : '/admin/api/openapi.json'
  const { text } = await call('GET', service.url + url, OPERATOR_TOKEN, undefined)
  return operationsOf(JSON.parse(text))
}

function refuseUnlisted(what: string, name: string): void {
  if (name in NO_IDS || !LOOKS_LIKE_AN_ID.test(name)) return
  assert.fail(`${what} takes ${name}: name in foreign-ids.ts what it is, or why it is no id`)
}

function idsOf(operation: Operation, place: 'path' | 'query', known: Record<string, Thing[]>) {
  return operation.parameters.flatMap(({ name, in: where }) => {
    if (where !== place) return []
    if (place === 'path' && name !== 'store' && !(name in known)) {
      assert.fail(`${operation.id} has a path with ${name}, which foreign-ids.ts does not know`)
    }
    if (!(name in known)) refuseUnlisted(operation.id, name)
    return (known[name] ?? []).map((thing) => ({ name, thing }))
  })
}

function fieldsOf(operation: Operation) {
  return Object.keys(operation.body?.properties ?? {}).flatMap((name) => {
    if (!(name in FIELD_IDS)) refuseUnlisted(operation.id, name)
    return (FIELD_IDS[name] ?? []).map((thing) => ({ name, thing }))
  })
}

/** A request of the operation about the store's own things. */
function ownRequest(operation: Operation, surface: string, store: Store) {
  const path = operation.path
    .replace('{store}', store.id)
    .replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(store.things[PATH_IDS[name]![0]!]))
  const body = BODIES[`${surface} ${operation.id}`] ?? BODIES[operation.id] ?? (operation.example as object | undefined)
  return { path, body: withOwn(typeof body === 'object' ? body : {}, store) }
}

function withOwn(body: object, { things }: Store): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const thing = typeof value === 'string' ? FIELD_IDS[name]?.[0] : undefined
      return [name, thing ? things[thing === 'customer' && /^\d*$/.test(value) ? 'platformCustomer' : thing] : value]
    })
  )
}

function fieldValue(name: string, thing: Thing, things: Things): unknown {
  if (name !== 'results') return things[thing]
  return [{ handle: things.handle, duration_ms: 3, response_code: 204, failure: null, response_text: '' }]
}

type Answer = { status: number; text: string }

/** The id may be repeated in the response, nothing else may differ. */
function assertSame(what: string, foreign: Answer, unknown: Answer, id: string, thing: Thing, isFilter = false): void {
  const plain = ({ status, text: body }: Answer, own: string) =>
    `${status} ${body.replaceAll(own, '…').replaceAll(/"request_id":"[^"]*"/g, '')}`
  assert.equal(plain(foreign, id), plain(unknown, UNKNOWN[thing]), what)
  if (isFilter) assert.ok([200, 400, 404].includes(foreign.status), `${what}: ${foreign.text}`)
  else assert.ok(foreign.status >= 400 && foreign.status < 500, `${what}: ${foreign.status} ${foreign.text}`)
}

/** The addresses of callers, or wrong keys would be counted for one. */
let callers = 0

async function call(method: string, url: string, token: string, body: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'x-forwarded-for': `10.1.${(callers >> 8) & 255}.${callers++ & 255}`,
      ...(body !== undefined && method !== 'GET' && { 'content-type': 'application/json' })
    },
    body: body === undefined || method === 'GET' ? undefined : JSON.stringify(body)
  })
  return { status: response.status, text: await response.text() }
}

/** The shop's own customer asks to cancel a contract of another shop. */
async function cancelThroughProxy(
  service: Service,
  db: Database,
  store: Store,
  { contract, platformCustomer }: Things
) {
  const { proxySecret } = (await storeByDomain(db, service.deps.vault, store.domain))!
  const parameters = {
    shop: store.domain as string,
    path_prefix: '/apps/svc-api',
    timestamp: String(Math.floor(realNow().epochMilliseconds / 1000)),
    logged_in_customer_id: platformCustomer
  }
  const canonical = Object.entries(parameters)
    .map((pair) => pair.join('='))
    .sort()
    .join('')
  const signature = createHmac('sha256', proxySecret).update(canonical).digest('hex')
  const query = new URLSearchParams({ ...parameters, signature })
  const path = `/apps/svc-api/v1/membership/churn/${contract}/cancellation?${query}`
  return call('POST', service.url + path, 'none', { reason: 'too_expensive' })
}

/** A store with one of everything that an id can name. Its ids differ from those of every other store. */
async function aStoreOfThings(service: Service) {
  const store = await service.aStore()
  const admin = (method: string, path: string, body?: object) => service.admin(method, store.at + path, body)
  const endpoint = await admin('POST', '/webhooks', { url: 'http://127.0.0.1:9/hooks' })
  const email = `ada-of-${store.id}@example.com`
  const { customer, contract_id, order_id } = await store.member(email)
  await store.card(customer.id, 'insufficient_funds')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  const first = async (path: string) => (await service.get(path, store.key)).body.data[0]
  const member = await first('/members')
  const delivery = await admin('POST', `/webhooks/${endpoint.id}/test`, { event: 'billing.success' })
  const listener = await admin('POST', '/webhook-listeners', {})
  await admin('POST', '/webhook-samples', { event: 'member.created' })
  const fetched = await admin('POST', `/webhook-listeners/${listener.id}/fetch`, { wait_seconds: 5, max: 1 })
  const { paymentMethod, deadLetter } = await service.db.inStore(store.storeId, async ({ tx, storeId, now }) => {
    const { id } = await tx.one(
      row({ id: int }),
      sql`
      insert into facts (store_id, name, ordering_key, data, occurred_at)
      values (${storeId}, 'member.updated', 'member:1', '{}', ${now}) returning id`
    )
    await tx.run(sql`
      insert into fact_retries (store_id, consumer, fact_id, name, position, ordering_key, attempts, last_error, dead_at)
      values (${storeId}, 'webhooks', ${id}, 'member.updated', ${id}, 'member:1', 6, 'It failed', ${now})`)
    return {
      paymentMethod: await tx.one(
        row({ id: text }),
        sql`select token as id from sandbox.payment_methods where store_id = ${storeId} limit 1`
      ),
      deadLetter: `webhooks:${id}`
    }
  })
  const things: Things = {
    member: member.id,
    customer: member.customer.id,
    platformCustomer: customer.id,
    email,
    subscription: (await first('/subscriptions')).id,
    attempt: (await first('/billing-attempts')).id,
    plan: member.plan_id,
    endpoint: endpoint.id,
    delivery: delivery.webhook_id,
    key: (await admin('POST', '/keys', { name: 'Walk' })).id,
    listener: listener.id,
    import: (await admin('POST', '/imports', { source: 'csv' })).id,
    deadLetter,
    order: order_id,
    contract: contract_id,
    paymentMethod: `gid://platform/CustomerPaymentMethod/${paymentMethod.id}`,
    handle: fetched.data[0].handle
  }
  return { ...store, things }
}

/** Tables that change independently of the requests, with the reason. */
const NOT_COMPARED: Record<string, string> = {
  rate_windows: 'each call is counted there',
  api_keys: 'each call records the last use of the key',
  list_changes: 'an engine moves them into list_blocks later',
  list_blocks: 'derived from list_changes by an engine',
  rollup_marks: 'the progress of engines',
  metric_changes: 'an engine rolls them up later',
  daily_metrics: 'derived from metric_changes by an engine',
  daily_cancellations: 'derived from metric_changes by an engine',
  metric_totals: 'derived from metric_changes by an engine'
}

/** The tables whose rows belong to a store and are compared, the sandbox's included. */
export async function storeTables(db: Database): Promise<string[]> {
  const { tables } = await db.inInstallation((tx) =>
    tx.one(
      row({ tables: textList }),
      sql`
      select array_agg(c.table_schema || '.' || c.table_name order by c.table_name) as tables
        from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where c.table_schema = 'public' and c.column_name = 'store_id' and t.table_type = 'BASE TABLE'
         and c.table_name <> all(${Object.keys(NOT_COMPARED)})`
    )
  )
  return tables
}

/** All rows of a store, as one digest per table. */
export async function storeContent(db: Database, tables: string[], storeId: number): Promise<Record<string, string>> {
  const digests = await db.inInstallation((tx) =>
    tx.many(row({ name: text, digest: text }), {
      name: 'content_of_store',
      text: tables
        .map(
          (name) =>
            `select '${name}' as name, md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest from ${name} t where store_id = $1`
        )
        .join(' union all '),
      values: [storeId]
    })
  )
  return Object.fromEntries(digests.map(({ name, digest }) => [name, digest]))
}
