// A node in a process of its own: the whole service, working in the background, with nobody asking. For bench/idle-stores.ts, and
// beside the server of bench/credit-entry.ts. Arguments: the database's URL, and its role if it is not `all`.
import pino from 'pino'
import { Database } from '#kit/postgres'
import { Secret } from '#kit/secrets'
import { createMetrics } from '../src/app/metrics.ts'
import { createService, type ServiceOptions } from '../src/app/service.ts'
import { receiptFiles } from '../test/receipt-files.ts'
import { testVault } from '../test/store-builder.ts'

export type NodeMeasurements = {
  statements: number
  transactions: number
  cpuMs: number
  heapBytes: number
  rssBytes: number
}

const db = new Database({ url: process.argv[2]! })
const sandboxDb = new Database({ url: process.argv[2]! })
const metrics = createMetrics()
const service = await createService({
  role: process.argv[3] as ServiceOptions['role'],
  db,
  sandboxDb,
  vault: testVault,
  operatorToken: new Secret('the bench itself'),
  logger: pino({ level: 'warn' }),
  metrics,
  addresses: { loopback: true, allow: [] },
  urls: { public: 'http://127.0.0.1:9', sandbox: '' },
  apps: { platform: null, shopify: null },
  receiptFiles
})
await service.start()

process.on('message', async (message: 'measurements' | 'end') => {
  if (message === 'measurements') return void process.send?.(measurements())
  await service.stop()
  await Promise.all([metrics.close(), db.close(), sandboxDb.close()])
  process.disconnect?.()
})
process.once('disconnect', () => process.exit())
process.send!('ready')

function measurements(): NodeMeasurements {
  globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  const { heapUsed, rss } = process.memoryUsage()
  return {
    statements: db.stats.statements + sandboxDb.stats.statements,
    transactions: db.stats.transactions + sandboxDb.stats.transactions,
    cpuMs: (user + system) / 1000,
    heapBytes: heapUsed,
    rssBytes: rss
  }
}
