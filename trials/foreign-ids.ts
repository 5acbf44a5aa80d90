// The key of one store and the ids of another: the same response as for ids that do not exist, and nothing changes.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { audit } from '#audit'
import { realNow } from '#kit/clock'
import type { Database } from '#kit/postgres'
import { storeByDomain } from '#stores'
import { type Operation, operationsOf } from '../test/openapi.ts'
import { OPERATOR_TOKEN, startServiceHere } from '../test/service-here.ts'
import {
  ASKED_OF_THE_PLATFORM,
  FIELDS_WITH,
  FILTER_IDS,
  FOR_ANYONE,
  fieldsOf,
  fieldValue,
  idsOf,
  ownRequest,
  PATH_IDS,
  withOwn
} from './ids-of-operations.ts'
import { storeContent, storeTables } from './store-content.ts'
import {
  aStoreOfThings,
  type Service,
  type StoreOfThings,
  type Thing,
  type Things,
  UNKNOWN
} from './store-of-things.ts'
import { WITHOUT_LIMIT } from './without-limit.ts'

export type ForeignTrial = { databaseUrl: string; db: Database }
export type ForeignReport = { operations: number; paths: number; filters: number; fields: number; keys: number }

/**
 * Two stores that have one of everything. Every operation of both API documents is called in the first store with each id of the
 * second: in the path, in each filter, in each field of a body. The response must be that of an id that does not exist, and the
 * rows of both stores must stay as they are. The proxy and a key whose store's number was changed are tried too. An operation
 * with a parameter that is not known here fails. Throws otherwise.
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
        const others = operation.parameters.filter((one) => one.in === 'query' && one.required && one.name !== name)
        const rest = others.map((one) => `&${one.name}=${encodeURIComponent(String(one.example))}`).join('')
        const ask = (id: string) => send(own.path, `?${name}=${encodeURIComponent(id)}${rest}`, undefined)
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
        const isForAnyone = FOR_ANYONE.has(`${name} ${operation.id}`)
        const [foreign, unknown] = [await ask(theirs.things), await ask(UNKNOWN)]
        assertSame(
          what,
          isForAnyone ? withoutOwnId(foreign) : foreign,
          isForAnyone ? withoutOwnId(unknown) : unknown,
          theirs.things[thing],
          thing,
          isAsked || isForAnyone
        )
        // A listener that reports anything stays open for longer.
        if (isAsked || isForAnyone || name === 'results') before = [(await content())[0]!, before[1]!]
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

type Answer = { status: number; text: string }

/** What was recorded has an id of its own, the next free number. */
const withoutOwnId = ({ status, text }: Answer): Answer => ({
  status,
  text: text.replace(/^\{"id":"[a-z]+_\d+"/, '{"id":""')
})

/** The id may be repeated in the response, nothing else may differ. */
function assertSame(what: string, foreign: Answer, unknown: Answer, id: string, thing: Thing, isFilter = false): void {
  const plain = ({ status, text: body }: Answer, own: string) =>
    `${status} ${body.replaceAll(own, '…').replaceAll(/"request_id":"[^"]*"/g, '')}`
  assert.equal(plain(foreign, id), plain(unknown, UNKNOWN[thing]), what)
  if (isFilter) assert.ok([200, 202, 400, 404].includes(foreign.status), `${what}: ${foreign.text}`)
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
  store: StoreOfThings,
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
