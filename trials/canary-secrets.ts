// Secrets that can be recognised go through every surface: no log line, metric, history or row of the database has one in plain
// text.
import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import pg from 'pg'
import { audit } from '#audit'
import { realNow } from '#kit/clock'
import { createLogger } from '#kit/logger'
import { copyOut, type Database } from '#kit/postgres'
import { copyOutOf, listTables, ONE_TEXT } from '../src/backup/tables.ts'
import { operationsOf } from '../test/openapi.ts'
import { OPERATOR_TOKEN, startServiceHere } from '../test/service-here.ts'
import { aStore } from '../test/store-builder.ts'
import { listenHere } from './listen-here.ts'
import { WITHOUT_LIMIT } from './without-limit.ts'

export type CanaryTrial = { databaseUrl: string; db: Database }
export type CanaryReport = { secrets: number; requests: number; logLines: number; rows: number; tables: number }

/**
 * Every operation of both APIs, the storefront, the platform's endpoint and unknown paths get secrets in headers, queries, paths
 * and bodies, valid and broken; keys and signing secrets are made and used; a platform and a receiver fail and repeat in their
 * errors what they were sent. Then everything that is kept or shown is searched for each secret, as it is, in hex and in base64:
 * the log at its most detailed level, the metrics, the history of deliveries, alerts and the status, and every row of every table
 * of the service. Throws when one is found.
 */
export async function searchForSecrets({ databaseUrl, db }: CanaryTrial): Promise<CanaryReport> {
  const secrets = new Map<string, string>([['the operator token', OPERATOR_TOKEN]])
  const canary = (name: string, start = '') => {
    const text = `${start}CNRY${randomBytes(20).toString('hex')}`
    secrets.set(name, text)
    return text
  }
  const lines: string[] = []
  const logger = createLogger({ level: 'trace', format: 'json' }, { write: (line) => void lines.push(line) })
  // It sends back what it received, as careless servers do.
  const echo = await anEcho()
  const service = await startServiceHere(databaseUrl, {
    budgets: WITHOUT_LIMIT,
    trustedProxies: ['127.0.0.1'],
    logger: logger as never
  })
  let requests = 0
  const send = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
    requests++
    const response = await fetch(service.url + path, {
      method,
      headers: { 'x-forwarded-for': `10.2.${requests >> 8}.${requests & 255}`, ...headers },
      body: method === 'GET' ? undefined : body
    })
    return { status: response.status, text: await response.text() }
  }

  try {
    const live = await aStore(db, {
      sandbox: false,
      platformUrl: echo.url,
      accessToken: canary('an access token'),
      appSecret: canary("an app's secret"),
      proxySecret: canary('a proxy secret')
    })
    const store = await service.aStore()
    const key = store.key
    secrets.set('an API key', key)
    await store.member('ada@example.com')
    const endpoint = await service.post('/webhook-endpoints', key, { url: `${echo.url}/hooks` })
    secrets.set('a signing secret', endpoint.body.data.secret)
    const rolled = await service.post(`/webhook-endpoints/${endpoint.body.data.id}/roll`, key, { overlap: 24 })
    secrets.set('a new signing secret', rolled.body.data.secret)
    await service.post(`/webhook-endpoints/${endpoint.body.data.id}/test`, key, { event: 'billing.success' })
    await service.deps.settle(store.storeId)
    assert.ok(echo.requests() > 0, 'nothing was delivered')

    // The platform's error holds the token that it was sent.
    const before = echo.requests()
    const connecting = {
      domain: 'echo.example',
      name: 'Echo',
      timezone: 'Europe/Vienna',
      currency: 'EUR',
      plan: 'starter',
      platform_url: echo.url,
      access_token: canary('an access token that is refused'),
      app_secret: canary('the secret of an app that is refused'),
      proxy_secret: canary('the secret of a proxy that is refused')
    }
    const operator = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' }
    await send('POST', '/admin/api/stores', operator, JSON.stringify(connecting))
    await send('POST', `/admin/api/stores/store_${live.storeId}/reconcile`, operator, '{}')
    for (const engine of service.engines)
      await engine.runOnce(live.storeId).catch((err) => logger.error({ err }, 'failed'))
    assert.ok(echo.requests() > before, 'the platform was not called')

    for (const [surface, path] of [
      ['/v1', '/openapi.json'],
      ['/admin/api', '/admin/api/openapi.json']
    ] as const) {
      const document = JSON.parse((await send('GET', path, operator)).text)
      for (const operation of operationsOf(document as Parameters<typeof operationsOf>[0])) {
        const at = surface + operation.path.replace('{store}', store.id).replace(/\{\w+\}/g, 'x')
        const name = `${surface} ${operation.id}`
        const json = { 'content-type': 'application/json' }
        const right = surface === '/v1' ? { authorization: `Bearer ${key}` } : operator
        const hidden = canary(`a query of ${name}`)
        const body = canary(`a body of ${name}`)
        await send(
          operation.method,
          at,
          { ...json, authorization: `Bearer ${canary(`a wrong token of ${name}`)}` },
          '{}'
        )
        await send(
          operation.method,
          at,
          { ...json, authorization: canary(`a header of ${name}`), cookie: `a=${hidden}` },
          '{}'
        )
        await send(operation.method, `${at}?key=${hidden}&signature=${hidden}&${hidden}=1`, { ...json, ...right }, '{}')
        // Of a body that is refused nothing may be kept; one that is right is data.
        const bodies = [
          `{"password":"${body}","token":"${body}"}`,
          `{"${body}":1}`,
          `{"secret":"${body}`,
          `["${body}"]`,
          `{"a":"${body}","a":"${body}"}`
        ]
        if (operation.method !== 'GET')
          for (const text of bodies) await send(operation.method, at, { ...json, ...right }, text)
      }
    }
    const signature = canary('a signature of the proxy')
    const proxied = `shop=${live.domain}&logged_in_customer_id=1&timestamp=1&path_prefix=%2Fa`
    await send('POST', `/apps/svc-api/v1/membership/churn/1/cancellation?${proxied}&signature=${signature}`, {}, '{}')
    await send('GET', `/apps/svc-api/v1/data/members?key=${canary('a key in a query')}`, {})
    await send('GET', `/nothing/whsec_${canary('a secret in a path')}`, {})
    await send('POST', '/platform/webhooks', inbound(live.domain, canary('a signature of the platform')), '{}')
    const secretBody = JSON.stringify({ id: canary('a message that is not signed') })
    await send('POST', '/platform/webhooks', inbound(live.domain, 'bm8='), secretBody)
    const wrong = createHmac('sha256', 'another').update(secretBody).digest('base64')
    await send('POST', '/platform/webhooks', inbound(live.domain, wrong), secretBody)
    await service.deps.settle(store.storeId)

    const list = async (path: string) => {
      const { status, text } = await send('GET', `/admin/api${path}`, operator)
      assert.equal(status, 200, `${path}: ${text}`)
      return text
    }
    const deliveries = await list(`${store.at}/webhook-deliveries?limit=100`)
    const details: string[] = []
    for (const { webhook_id } of JSON.parse(deliveries).data) {
      details.push(await list(`${store.at}/webhook-deliveries/${webhook_id}`))
    }
    const metrics = (await send('GET', '/metrics', {})).text
    const dump = await rowsOf(databaseUrl)
    const places: Record<string, { text: string; has: string }> = {
      'the log': { text: lines.join(''), has: '/v1/members?key=[hidden]&signature=[hidden]' },
      'the metrics': { text: metrics, has: 'http_' },
      'the list of deliveries': { text: deliveries, has: 'billing.success' },
      'the history of deliveries': { text: details.join('\n'), has: 'billing.success' },
      'the alerts': { text: await list(`${store.at}/alerts`), has: 'data' },
      'the alerts of the store whose platform fails': {
        text: await list(`/stores/store_${live.storeId}/alerts`),
        has: 'data'
      },
      'the endpoints': { text: await list(`${store.at}/webhooks`), has: 'hooks' },
      'the keys': { text: await list(`${store.at}/keys`), has: key.slice(-4) },
      'the stores': { text: await list('/stores'), has: live.domain },
      'the status': { text: await list('/status'), has: 'stores' },
      'the database': { text: dump.rows.join('\n'), has: 'ada@example.com' }
    }
    for (const [place, { text, has }] of Object.entries(places)) {
      for (const [name, secret] of secrets) {
        for (const form of formsOf(secret)) {
          const found = text.indexOf(form)
          assert.ok(found < 0, `${name} is in ${place}: ${text.slice(Math.max(0, found - 300), found + 100)}`)
        }
      }
      // Otherwise the search would show nothing.
      assert.ok(text.includes(has), `${place} has no ${has}: ${text.slice(0, 300)}`)
    }
    assert.ok(!/Bearer\s+\w/.test(places['the log']!.text), 'a header is in the log')
    assert.deepEqual((await db.inStore(store.storeId, audit)).findings, [])
    return { secrets: secrets.size, requests, logLines: lines.length, rows: dump.rows.length, tables: dump.tables }
  } finally {
    await service.stop()
    echo.close()
  }
}

/** As it is, and as bytes are written. Of an API key and a signing secret the part that is secret. */
function formsOf(secret: string): string[] {
  const part = secret.replace(/^(svc_(test|live)_\w+?_|whsec_)/, '')
  const bytes = Buffer.from(part)
  return [part, bytes.toString('hex'), bytes.toString('base64').replace(/[=]+$/, '').slice(0, -1)]
}

const inbound = (shop: string, signature: string) => ({
  'content-type': 'application/json',
  'x-platform-topic': 'orders/paid',
  'x-platform-shop-domain': shop,
  'x-platform-webhook-id': `canary-${realNow().epochMilliseconds}`,
  'x-platform-hmac-sha256': signature
})

/** A platform and a receiver that is not content, and says what it got. */
async function anEcho() {
  let requests = 0
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    requests++
    request.resume()
    const { 'x-platform-access-token': token, authorization } = request.headers
    response.writeHead(request.url!.startsWith('/hooks') ? 500 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ errors: `[API] Invalid API key or access token ${token ?? authorization ?? ''}` }))
  })
  return { ...(await listenHere(server)), requests: () => requests }
}

/**
 * Every row of the service's tables as COPY writes it: what a dump has. The sandbox is the other side, which knows its own
 * tokens.
 */
async function rowsOf(url: string): Promise<{ rows: string[]; tables: number }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`begin; ${ONE_TEXT}`)
    const all: string[] = []
    const tables = await listTables(client, ['public'])
    for (const table of tables) {
      for await (const rows of copyOut(client, copyOutOf(table))) for (const row of rows) all.push(String(row))
    }
    return { rows: all, tables: tables.length }
  } finally {
    await client.end()
  }
}
