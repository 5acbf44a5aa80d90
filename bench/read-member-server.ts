// One of the servers that bench/read-member.ts and bench/export-pages.ts compare. Arguments: perennial, nothing-kept (the same without
// kept pages of the Data API) or bare, and the database's URL.
import fastify from 'fastify'
import pg from 'pg'
import pino from 'pino'
import { Database, directStatements } from '#kit/postgres'
import { Secret } from '#kit/secrets'
import { createConnectors } from '#platform'
import { createRateLimiter } from '../src/http/rate-limits/rate-limiter.ts'
import { buildHttp } from '../src/http/server/server.ts'
import { receiptFiles } from '../test/receipt-files.ts'
import { testVault } from '../test/store-builder.ts'

const [which, url] = process.argv.slice(2)
const app = which === 'bare' ? bareServer(url!) : perennialServer(url!, which !== 'nothing-kept')
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))

function bareServer(connectionString: string) {
  const pool = new pg.Pool({ connectionString, max: 8 })
  const server = fastify({ logger: false })
  server.get<{ Params: { id: string } }>('/v1/members/:id', async (request) => {
    const { rows } = await pool.query({
      name: 'member',
      text: directStatements.get('member_by_id')!,
      values: [1, Number(request.params.id.slice(4))]
    })
    return rows[0]
  })
  return server
}

function perennialServer(connectionString: string, keepsPages: boolean) {
  // With the limits of requests, as the service has them.
  const db = new Database({ url: connectionString }).forWork('request')
  const unused = async (): Promise<never> => {
    throw new Error('Not a part of this bench')
  }
  return buildHttp({
    db,
    vault: testVault,
    limiter: createRateLimiter(db),
    // Requests are counted as usual, with a limit that is never reached.
    budgets: {
      starter: { perMinute: 1e8, perDay: 1e9 },
      growth: { perMinute: 1e8, perDay: 1e9 },
      enterprise: { perMinute: 1e8, perDay: null }
    },
    logger: pino({ level: 'warn' }),
    operatorToken: new Secret('bench'),
    settings: [],
    ...(!keepsPages && { pageCacheOptions: { maxBytes: 0 } }),
    addresses: { loopback: false, allow: [] },
    health: { ready: async () => ({ ready: true, checks: {} }), metrics: (_request, response) => void response.end() },
    wake: () => {},
    receiptFiles,
    canMail: async () => false,
    connectorOf: unused,
    connectStore: unused,
    install: {
      apps: { platform: null, shopify: null },
      allOrders: false,
      publicUrl: () => '',
      connectors: createConnectors(),
      checkConnection: unused,
      lookAtWebhooks: unused
    },
    leavePlatform: unused,
    deleteStore: unused,
    advanceClock: unused,
    settle: unused,
    doctor: unused,
    status: unused,
    seed: unused,
    sandbox: {
      urlOf: () => '',
      createShop: unused,
      createCustomer: unused,
      join: unused,
      setAccount: unused,
      setConsent: unused,
      setTags: unused,
      setCard: unused,
      placeOrder: unused,
      refund: unused,
      cancelOrder: unused,
      sendMessage: unused,
      dispute: unused,
      deleteCustomer: unused,
      mergeCustomers: unused,
      revokeCard: unused,
      changeShop: unused,
      uninstall: unused,
      install: unused,
      openShop: unused,
      endToken: unused,
      changeScopes: unused,
      setWebhookFaults: unused,
      setChargeFaults: unused
    }
  })
}
