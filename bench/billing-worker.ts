// A process that bills one store with all engines of a renewal, as the service runs them; forked and controlled by
// bench/billing-workers.ts.
import { createMetricsRollupEngine } from '#analytics'
import { startNode } from '#kit/engines'
import { Database } from '#kit/postgres'
import { runPeriodically } from '#kit/run-periodically'
import { storeNow } from '#stores'
import { rollUpTotals } from '#views'
import { analyzeAsServed } from './analyze-as-served.ts'
import type { FromWorker, ToWorker } from './billing-workers.ts'
import { createRenewalRunner } from './renewal-runner.ts'
import { stubConnector } from './stub-connector.ts'

const ROLL_UP_TOTALS_EVERY_MS = 1_000
const MARK_HEAP_EVERY_MS = 1_000

const [url, id] = process.argv.slice(2)
const storeId = Number(id)
const gc = globalThis.gc ?? (() => {})
const db = new Database({ url: url! })
const node = await startNode(db)
const send = (message: FromWorker) => void process.send!(message)
const connector = stubConnector({
  now: await storeNow(db, storeId),
  priceMinor: 2900,
  onCharge: (keys) => send({ charged: keys })
})
const connectorOf = async () => connector

let stop = async () => {}
process.on('message', async (message: ToWorker) => {
  if (message === 'go') stop = run()
  else await stop()
  if (message === 'end') {
    await node.stop()
    await db.close()
    process.disconnect?.()
  }
})
process.once('disconnect', () => process.exit())
send({ ready: true })

/** Works until the returned function is called, which returns the results. */
function run(): () => Promise<void> {
  const runner = createRenewalRunner({
    db,
    node,
    connectorOf,
    more: [createMetricsRollupEngine({ db })],
    onError: (err) => {
      throw err
    }
  })
  const rollingUp = runPeriodically(ROLL_UP_TOTALS_EVERY_MS, async () => void (await rollUpTotals(db)))
  const analyzing = analyzeAsServed(db)
  const marking = setInterval(() => {
    gc()
    send({ heapMb: process.memoryUsage().heapUsed / 1e6 })
  }, MARK_HEAP_EVERY_MS)
  const before = { ...db.stats, cpu: process.cpuUsage(), at: performance.now() }
  runner.start()
  return async () => {
    stop = async () => {}
    clearInterval(marking)
    await Promise.all([runner.stop(), rollingUp.stop(), analyzing.stop()])
    const { user, system } = process.cpuUsage(before.cpu)
    send({
      ran: {
        seconds: (performance.now() - before.at) / 1000,
        cpuSeconds: (user + system) / 1e6,
        statements: db.stats.statements - before.statements,
        roundTrips: db.stats.roundTrips - before.roundTrips,
        transactions: db.stats.transactions - before.transactions
      }
    })
  }
}
