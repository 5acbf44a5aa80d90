// URLs that lead to this machine or the network around it, at every place where one is accepted or connected to.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { audit } from '#audit'
import { upsertFromContracts } from '#contracts'
import type { Engine } from '#kit/engines'
import { type Database, nullable, row, sql, text } from '#kit/postgres'
import { DownloadFailed, downloadLines } from '#platform'
import { names } from '../src/webhooks/hostile-endpoints.test-helper.ts'
import {
  DNS,
  ELSEWHERE,
  hasIPv6,
  misleading,
  noUrls,
  toPrivateNetworks,
  toThisMachine
} from '../src/webhooks/hostile-urls.test-helper.ts'
import { aContract, anOrder } from '../test/contract-builder.ts'
import { operationsOf } from '../test/openapi.ts'
import { OPERATOR_TOKEN, startServiceHere } from '../test/service-here.ts'
import { aStore } from '../test/store-builder.ts'
import { WITHOUT_LIMIT } from './without-limit.ts'

/** Every n-th URL is tried, from `seed` on; 1 tries all. */
export type HostileTrial = { databaseUrl: string; db: Database; stride: number; seed: number }
export type HostileReport = { urls: number; entries: number; refused: number; tries: number }

/** Operations whose body has a URL that the service connects to later, by surface. */
const ACCEPTING = [
  'rest createWebhookEndpoint',
  'rest updateWebhookEndpoint',
  'admin createWebhookEndpoint',
  'admin updateWebhookEndpoint'
]
/** Whoever has the operator's token chooses the platform itself, which may be on this machine, as the sandbox is. */
const CHOSEN_BY_OPERATORS = ['admin createStore', 'admin connectStore']

const REBINDING = 'rebinding.test'

/**
 * Puts hostile URLs into every operation that takes one, into the table of endpoints behind all checks, whose deliveries are then
 * sent, sent as a test and sent again, and into the links of the platform's files; lets a name change after it was checked, and
 * an allowed receiver answer with redirects. A listener at all addresses of this machine stands for the private network: nothing
 * may connect to it. An operation with a URL that is not known here fails. Throws otherwise.
 */
export async function leadAstray({ databaseUrl, db, stride, seed }: HostileTrial): Promise<HostileReport> {
  const canary = await aCanary()
  const redirecting = await aRedirectingReceiver(canary.port)
  let rebound = ELSEWHERE
  const lookup = names({ ...DNS, [REBINDING]: () => [rebound] })
  const service = await startServiceHere(databaseUrl, {
    budgets: WITHOUT_LIMIT,
    addresses: { loopback: true, allow: [], lookup }
  })
  const all = [
    ...toThisMachine(canary.port),
    ...toPrivateNetworks(canary.port),
    ...misleading(canary.port),
    ...noUrls(canary.port)
  ]
  const urls = all.filter((_, i) => (i + seed) % stride === 0)
  const report: HostileReport = { urls: urls.length, entries: 0, refused: 0, tries: 0 }
  try {
    // A store that is live: those of the sandbox may have receivers on this machine.
    const store = await aStore(db, { sandbox: false, accessToken: 'token-of-20-chars-xx', appSecret: 'x'.repeat(20) })
    const key = await store.aKey()
    const at = { rest: `${service.url}/v1`, admin: `${service.url}/admin/api/stores/store_${store.storeId}` }
    const tokens = { rest: key, admin: OPERATOR_TOKEN }
    const paths = { rest: '/webhook-endpoints', admin: '/webhooks' }
    const call = async (surface: 'rest' | 'admin', method: string, path: string, body?: object) => {
      const response = await fetch(at[surface] + path, {
        method,
        headers: { authorization: `Bearer ${tokens[surface]}`, ...(body && { 'content-type': 'application/json' }) },
        body: body && JSON.stringify(body)
      })
      return { status: response.status, body: (await response.json()) as any }
    }
    await assertAllKnown(service.url)

    const accepted: string[] = []
    const good = `https://${ELSEWHERE}/`
    for (const surface of ['rest', 'admin'] as const) {
      const created = await call(surface, 'POST', paths[surface], { url: good })
      assert.ok(created.status < 300, JSON.stringify(created.body))
      const { id } = created.body.data ?? created.body
      accepted.push(id)
      for (const [method, path] of [
        ['POST', paths[surface]],
        ['PATCH', `${paths[surface]}/${id}`]
      ] as const) {
        report.entries++
        for (const url of urls) {
          const { status, body } = await call(surface, method, path, { url })
          assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], `${surface} ${method} ${url}`)
          assert.equal(body.error.details?.[0]?.field, 'url', `${surface} ${method} ${url}`)
          report.refused++
        }
      }
    }
    canary.assertUntouched('a request')

    // Past every check, as rows that someone wrote into the table. It takes no empty one.
    const planted = urls.filter((url) => url !== '')
    const ids = await store.inStore(async ({ tx, storeId }) => {
      const made = await tx.many(
        row({ id: text }),
        sql`
        insert into webhook_endpoints (store_id, url, description, secret, created_at, updated_at)
        select ${storeId}, p.url, '', e.secret, e.created_at, e.updated_at
          from (select secret, created_at, updated_at from webhook_endpoints where store_id = ${storeId} limit 1 offset 0) e,
               unnest(${planted}::text[]) as p(url)
        on conflict do nothing returning id::text as id`
      )
      return made.map(({ id }) => `we_${id}`)
    })
    assert.equal(ids.length, planted.length)
    // Only what is planted is sent to.
    for (const id of accepted) await call('admin', 'POST', `/webhooks/${id}/disable`, {})
    const send = sendingOf(service.engines, store.storeId)
    const contract = aContract((await store.inStore(async (ctx) => ctx.now)) as Temporal.Instant)
    await store.inStore((ctx) =>
      upsertFromContracts(ctx, [contract], [anOrder(ctx.now, { id: contract.originOrder!.id })])
    )
    await send()
    report.entries++
    for (const id of ids) await call('rest', 'POST', `/webhook-endpoints/${id}/test`, { event: 'billing.success' })
    await send()
    report.entries++
    const { body: deliveries } = await call('admin', 'GET', '/webhook-deliveries?limit=100')
    for (const { webhook_id } of deliveries.data)
      await call('admin', 'POST', `/webhook-deliveries/${webhook_id}/resend`)
    await send()
    report.entries++
    canary.assertUntouched('a delivery')
    report.tries += await refusedTries(db, store.storeId, ids.length)

    report.entries++
    for (const url of planted.filter((one) => URL.canParse(one))) {
      await assert.rejects(readAll(url), DownloadFailed, url)
      report.refused++
    }
    canary.assertUntouched("a file of the platform's")

    report.entries++
    const { status, body } = await call('rest', 'POST', '/webhook-endpoints', {
      url: `https://${REBINDING}:${canary.port}/`
    })
    assert.equal(status, 200, JSON.stringify(body))
    for (const address of ['127.0.0.1', '::1', '10.0.0.1', '169.254.169.254', '::ffff:127.0.0.1', '64:ff9b::7f00:1']) {
      rebound = address
      await call('rest', 'POST', `/webhook-endpoints/${body.data.id}/test`, { event: 'billing.success' })
      await send()
    }
    canary.assertUntouched('a name that was checked before')
    const open = await store.inStore(async ({ tx, storeId }) =>
      tx.one(
        row({ tries: text }),
        sql`select count(*)::text as tries from webhook_tries where store_id = ${storeId} and failure is null`
      )
    )
    assert.equal(open.tries, '0', 'a receiver has responded')

    // A store of the sandbox may have a receiver on this machine, which leads it on; and so may its platform's files.
    report.entries++
    const sandbox = await service.aStore()
    const endpoint = await service.post('/webhook-endpoints', sandbox.key, { url: redirecting.url })
    const sendOfSandbox = sendingOf(service.engines, sandbox.storeId)
    for (let n = 0; n < redirecting.responses; n++) {
      await service.post(`/webhook-endpoints/${endpoint.body.data.id}/test`, sandbox.key, { event: 'billing.success' })
      await sendOfSandbox()
      await assert.rejects(readAll(redirecting.url, true), /answered 30/)
    }
    assert.ok(
      redirecting.requests() >= 2 * redirecting.responses,
      `only ${redirecting.requests()} requests were led on`
    )
    canary.assertUntouched('a redirect')
    const { findings } = await store.inStore(audit)
    // Nothing bills here.
    assert.deepEqual(
      findings.filter(({ check }) => check !== 'charges_not_missed'),
      []
    )
    return report
  } finally {
    redirecting.close()
    canary.close()
    await service.stop()
  }
}

/** Listens at all addresses of this machine. */
async function aCanary() {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\ncanary'))
  })
  await once(server.listen(0, hasIPv6 ? '::' : '0.0.0.0'), 'listening')
  const { port } = server.address() as { port: number }
  // A canary that nothing can reach would show nothing.
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'canary')
  assert.equal(connections, 1)
  connections = 0
  return {
    port,
    assertUntouched: (by: string) => assert.equal(connections, 0, `${by} has reached a private address`),
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** Leads every request on to the canary, by each status in turn. */
async function aRedirectingReceiver(port: number) {
  const statuses = [301, 302, 303, 305, 307, 308]
  const targets = [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`, `//127.0.0.1:${port}/`]
  const responses = statuses.flatMap((status) => targets.map((location) => ({ status, location })))
  let requests = 0
  const server = createHttpServer((request, response) => {
    request.resume()
    const { status, location } = responses[requests++ % responses.length]!
    response.writeHead(status, { location, refresh: `0; url=${location}`, 'content-location': location }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    responses: responses.length,
    requests: () => requests,
    close() {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** Fails for an operation whose body has a URL, unless this trial uses it or says why not. */
async function assertAllKnown(url: string): Promise<void> {
  const documents = { rest: '/openapi.json', admin: '/admin/api/openapi.json' }
  for (const [surface, path] of Object.entries(documents)) {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } })
    for (const { id, body } of operationsOf((await response.json()) as Parameters<typeof operationsOf>[0])) {
      const hasUrl = Object.keys(body?.properties ?? {}).some((name) => /(^|_)(url|uri|link|host|address)$/.test(name))
      const isKnown = [...ACCEPTING, ...CHOSEN_BY_OPERATORS].includes(`${surface} ${id}`)
      assert.ok(!hasUrl || isKnown, `${surface} ${id} takes a URL, which hostile-addresses.ts does not try`)
    }
  }
}

/** Brings facts to the endpoints and sends what is due, until nothing is. */
function sendingOf(engines: Engine[], storeId: number) {
  const sending = engines.filter(({ name }) => ['facts', 'facts:webhooks', 'deliveries'].includes(name))
  assert.equal(sending.length, 3)
  return async () => {
    for (let done = 1; done > 0; ) {
      done = 0
      for (const engine of sending) done += await engine.runOnce(storeId)
    }
  }
}

/** The number of tries, none of which got a response, and each of which was refused for its address where there is one. */
async function refusedTries(db: Database, storeId: number, endpoints: number): Promise<number> {
  const tries = await db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ url: text, failure: nullable(text), tries: text }),
      sql`
      select e.url, t.failure, count(*)::text as tries
        from webhook_deliveries d
        join webhook_tries t on t.store_id = ${storeId} and t.day = d.day and t.delivery_id = d.id
        join webhook_endpoints e on e.store_id = ${storeId} and e.id = d.endpoint_id
       where d.store_id = ${storeId} group by e.url, t.failure`
    )
  )
  assert.equal(new Set(tries.map(({ url }) => url)).size, endpoints, 'an endpoint was not sent to')
  for (const { url, failure } of tries) {
    const isOfTheWeb = URL.canParse(url) && /^https?:/.test(url.replaceAll(/\s/g, ''))
    assert.match(failure ?? 'a response', isOfTheWeb ? /^address_refused$/ : /^(address_refused|protocol|other)$/, url)
  }
  return tries.reduce((sum, one) => sum + Number(one.tries), 0)
}

async function readAll(url: string, isOnPlatform = false): Promise<void> {
  for await (const _ of downloadLines({ url, isOnPlatform }));
}
