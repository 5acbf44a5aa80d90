import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import type { Database } from '#kit/postgres'
import { Secret } from '#kit/secrets'
import { createConnectors } from '#platform'
import { platformAccess } from '#stores'
import { receiptFiles } from '../../test/receipt-files.ts'
import { testVault } from '../../test/store-builder.ts'
import * as sections from '../app/settings-sections.ts'
import { createRateLimiter } from './rate-limits/rate-limiter.ts'
import { buildHttp } from './server/server.ts'
import type { HttpDeps } from './shared/deps.ts'

export const OPERATOR_TOKEN = 'operator-token-of-the-http-tests-0123'

/**
 * A refused response without its details, which must name a field: which one, rest/error-details.test.ts asks of every route.
 */
export function refusedFor(response: { json(): any }, field?: string): { error: { code: string; message: string } } {
  const { details, ...error } = response.json().error
  assert.ok(details?.length > 0, `${error.message}: no field is named`)
  for (const detail of details) assert.deepEqual(Object.keys(detail), ['field', 'code', 'message'])
  if (field) assert.equal(details[0].field, field)
  return { error }
}

/** The server of a test file, what was logged, and which calls went to the parts above it, in order. */
export function testServer(db: Database, given: Partial<HttpDeps> = {}) {
  const lines: string[] = []
  const calls: unknown[][] = []
  const noted =
    <T>(name: string, result: T) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args])
      return result
    }
  const platforms = createConnectors()
  const app = buildHttp({
    db,
    vault: testVault,
    limiter: createRateLimiter(db),
    logger: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }) as FastifyBaseLogger,
    operatorToken: new Secret(OPERATOR_TOKEN),
    settings: Object.values(sections),
    addresses: { loopback: true, allow: [] },
    health: {
      ready: async () => ({ ready: true, checks: { database: 'ok' } }),
      metrics: (_request, response) => response.end('up 1\n')
    },
    connectorOf: async (storeId) => platforms.to(await platformAccess(db, testVault, storeId)),
    canMail: async () => true,
    receiptFiles,
    wake: (storeId) => void calls.push(['wake', storeId]),
    connectStore: noted('connectStore', undefined),
    install: {
      apps: { platform: null, shopify: null },
      allOrders: false,
      publicUrl: () => 'http://127.0.0.1:3000',
      connectors: platforms,
      checkConnection: noted('checkConnection', { ok: true as const, value: { changed: 0 } }),
      lookAtWebhooks: noted('lookAtWebhooks', { ok: true as const, value: [] })
    },
    leavePlatform: noted('leavePlatform', { webhooksRemoved: true }),
    deleteStore: noted('deleteStore', { deleted: true }),
    advanceClock: noted('advanceClock', {
      from: Temporal.Instant.from('2026-02-01T00:00:00Z'),
      now: Temporal.Instant.from('2026-03-01T00:00:00Z'),
      settled: true as const
    }),
    settle: noted('settle', undefined),
    sandbox: {
      urlOf: () => 'http://127.0.0.1:3001',
      createShop: noted('createShop', undefined),
      createCustomer: noted('createCustomer', { id: '7', gid: 'gid://platform/Customer/7', email: 'ada@example.com' }),
      join: noted('join', { orderId: '11', contractId: '12' }),
      setAccount: noted('setAccount', { id: '7' }),
      setConsent: noted('setConsent', { id: '7' }),
      setTags: noted('setTags', { id: '7' }),
      setCard: noted('setCard', undefined),
      placeOrder: noted('placeOrder', { id: '13', name: '#1013' }),
      refund: noted('refund', { id: '14' }),
      dispute: noted('dispute', { id: '15', type: 'CHARGEBACK', status: 'NEEDS_RESPONSE' }),
      cancelOrder: noted('cancelOrder', { id: '13', refundId: null }),
      sendMessage: noted('sendMessage', { webhookId: 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043' }),
      deleteCustomer: noted('deleteCustomer', { id: '7' }),
      mergeCustomers: noted('mergeCustomers', { keptId: '8', deletedId: '7' }),
      revokeCard: noted('revokeCard', { revoked: 1 }),
      changeShop: noted('changeShop', undefined),
      uninstall: noted('uninstall', undefined),
      install: noted('install', undefined),
      openShop: noted('openShop', { domain: 'dev.example' }),
      endToken: noted('endToken', undefined),
      changeScopes: noted('changeScopes', undefined),
      setWebhookFaults: noted('setWebhookFaults', undefined),
      setChargeFaults: noted('setChargeFaults', undefined)
    },
    status: noted('status', { stores: 1, problems: [], notes: [] }),
    doctor: noted('doctor', { checked: { members: 3 }, findings: [], warnings: [], not_checked: [] }),
    seed: async () => ({ members: 0 }),
    ...given
  })
  after(() => app.close())

  return {
    app,
    calls,
    /** Everything logged so far, as one text. */
    logged: () => lines.join(''),
    /** A request to the direct API with a key. */
    rest: (
      path: string,
      key: string,
      options: { method?: 'GET' | 'POST' | 'DELETE' | 'PATCH'; payload?: object } = {}
    ) => app.inject({ url: `/v1${path}`, headers: { authorization: `Bearer ${key}` }, ...options }),
    /** A request of the operator. */
    admin: (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, payload?: object) =>
      app.inject({
        method,
        url: `/admin/api${path}`,
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
        ...(payload && { payload })
      })
  }
}
