import assert from 'node:assert/strict'
import type { FastifyBaseLogger } from 'fastify'
import pino from 'pino'
import type { AddressRules } from '#kit/addresses'
import { Database, type TimeLimits } from '#kit/postgres'
import { Secret } from '#kit/secrets'
import type { WalletUrls } from '#wallet'
import { type ChargeFaults, UNKIND } from '../sandbox/index.ts'
import { type ClientOptions, createClient } from '../sdk/src/index.ts'
import type { Role } from '../src/app/config.ts'
import { createMetrics } from '../src/app/metrics.ts'
import { createService } from '../src/app/service.ts'
import { buildHttp } from '../src/http/server/server.ts'
import type { HttpDeps } from '../src/http/shared/deps.ts'
import { receiptFiles } from './receipt-files.ts'
import { testMasterKey, testVault } from './store-builder.ts'

export const OPERATOR_TOKEN = 'operator-token-of-the-tests-0123456789'

/** The app of the tests on the sandbox platform. */
export const SANDBOX_APP = { clientId: 'sandbox-app', clientSecret: 'secret-of-the-sandbox-app' }

export type ServiceOnItsOwn = Awaited<ReturnType<typeof startServiceHere>>

export type ServiceResponse = { status: number; body: any; headers: Headers }

/**
 * The whole service, as started by `npm start`, on its own ports and the given database, in this process; `stop` ends it. Engines
 * run in the background only if `background` is true: most tests call `settle` instead.
 */
export async function startServiceHere(
  databaseUrl: string,
  {
    background = false,
    trustedProxies,
    port = 0,
    role = 'all',
    pollMs,
    publicUrl = '',
    sandboxFaults = UNKIND,
    limits,
    nodeNowMs,
    budgets,
    logger,
    addresses,
    walletUrls
  }: {
    background?: boolean
    trustedProxies?: string[]
    port?: number
    role?: Role
    pollMs?: number
    /** The URL at which the platform reaches the service; default: this node. */
    publicUrl?: string
    /** The faults of charges in the shops of this test; default: those of every test. */
    sandboxFaults?: ChargeFaults
    /** How long everything that asks the database may wait. */
    limits?: TimeLimits
    /** What this node's clock says. */
    nodeNowMs?: () => number
    /** The requests that each tariff of a store has; default: those of the spec. */
    budgets?: HttpDeps['budgets']
    /** Where it logs; default: nowhere. */
    logger?: FastifyBaseLogger
    /** Where webhooks may go; default: to this machine. */
    addresses?: AddressRules
    /** Where wallets of phones are notified. */
    walletUrls?: WalletUrls
  } = {}
) {
  const db = new Database({ url: databaseUrl, limits, masterKey: testMasterKey })
  const sandboxDb = new Database({ url: databaseUrl, limits })
  const urls = { public: '', sandbox: '' }
  const metrics = createMetrics()
  const service = await createService({
    role,
    pollMs,
    db,
    sandboxDb,
    vault: testVault,
    operatorToken: new Secret(OPERATOR_TOKEN),
    logger: logger ?? pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
    metrics,
    addresses: addresses ?? { loopback: true, allow: [] },
    urls,
    apps: { platform: SANDBOX_APP, shopify: null },
    receiptFiles,
    trustedProxies,
    sandboxFaults,
    nodeNowMs,
    ...(walletUrls && { walletUrls })
  })
  const http = budgets ? buildHttp({ ...service.deps, budgets }) : service.http
  const url = await http.listen({ port, host: '127.0.0.1' })
  urls.public = publicUrl || url
  if (role !== 'worker') urls.sandbox = await service.sandbox.app.listen({ port: 0, host: '127.0.0.1' })
  if (background) await service.start()
  let stopped = false
  const stop = async () => {
    if (stopped) return
    stopped = true
    if (http !== service.http) await http.close()
    await service.stop()
    await Promise.all([metrics.close(), db.close(), sandboxDb.close()])
  }

  const call = async (
    method: string,
    url: string,
    token: string,
    body?: unknown,
    headers: Record<string, string> = {}
  ): Promise<ServiceResponse> => {
    const response = await fetch(url, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' })
      },
      body: body === undefined ? undefined : JSON.stringify(body)
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers }
  }
  const admin = async (method: string, path: string, body?: unknown) => {
    const result = await call(method, `${urls.public}/admin/api${path}`, OPERATOR_TOKEN, body)
    if (result.status >= 400) throw new Error(`${method} ${path}: ${result.status} ${JSON.stringify(result.body)}`)
    return result.body
  }
  return {
    ...service,
    db,
    sandboxDb,
    urls,
    metrics,
    /** The URLs of this node. */
    url,
    stop,
    admin,
    /** The client that integrators use. */
    client: (apiKey: string, options: Partial<ClientOptions> = {}) =>
      createClient({ baseUrl: `${urls.public}/v1`, apiKey, ...options }),
    /** A GET request to the direct API with a key. */
    get: (path: string, key: string) => call('GET', `${urls.public}/v1${path}`, key),
    /** A POST request to the direct API with a key. */
    post: (path: string, key: string, body?: unknown, headers?: Record<string, string>) =>
      call('POST', `${urls.public}/v1${path}`, key, body, headers),
    /** A PATCH request to the direct API with a key. */
    patch: (path: string, key: string, body?: unknown) => call('PATCH', `${urls.public}/v1${path}`, key, body),
    /** A sandbox store with a monthly plan VIP of 29.00 and a key with every scope. */
    async aStore(given: Record<string, unknown> = {}) {
      const store = await admin('POST', '/stores', {
        domain: `shop-${Math.random().toString(36).slice(2)}.example`,
        name: 'Test shop',
        timezone: 'America/New_York',
        currency: 'USD',
        plan: 'enterprise',
        sandbox: true,
        clock: '2026-01-31T15:00:00Z',
        ...given
      })
      const at = `/stores/${store.id}`
      await admin('POST', `${at}/plans`, { name: 'VIP', type: 'vip', price: '29.00', interval: 'month' })
      const { key } = await admin('POST', `${at}/keys`, { name: 'Test' })
      return {
        ...store,
        at,
        key: key as string,
        storeId: Number(store.id.slice('store_'.length)),
        /** How long a cancellation can be reverted. */
        grace: (hours: number) => admin('PATCH', `${at}/settings`, { reactivation_grace_hours: hours }),
        customer: (email: string) => admin('POST', `${at}/sandbox/customers`, { email }),
        async member(email: string, plan = 'VIP') {
          const customer = await admin('POST', `${at}/sandbox/customers`, { email })
          const joined = await admin('POST', `${at}/sandbox/joins`, { customer: customer.id, plan })
          return { customer, ...joined } as { customer: { id: string }; order_id: string; contract_id: string }
        },
        card: (customer: string, outcome: string) => admin('POST', `${at}/sandbox/cards`, { customer, outcome }),
        advance: (advance: { by?: string; to?: string }) => admin('POST', `${at}/clock/advance`, advance),
        /** The auditor finds nothing in this store. In all of the test's stores it would take longer with each test. */
        async soundBooks(): Promise<void> {
          assert.deepEqual((await admin('POST', '/doctor', { store: store.id })).findings, [])
        }
      }
    }
  }
}
