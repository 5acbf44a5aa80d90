import { type Engine, findWaitingWork, type StoreStatus, type WaitingWork } from '#kit/engines'
import type { Database } from '#kit/postgres'
import type { Problem } from './problem.ts'

/** What is due is usually done within seconds. */
const MIN_WAIT_MS = 60_000
const MAX_WORK = 200

/** What waits in each engine, as a clause. */
const WAITS: Record<string, string> = {
  billing: 'Billing (charges, pauses that end, reminders) waits',
  contract_discounts: 'The discounts of members on their product contracts wait',
  'contract-discount-walk': 'The derivation of the discounts on product contracts waits',
  country_checks: 'The check of the countries of new members waits',
  credits: 'Store credit that expires waits',
  'credit-accounts': "Store credit on the platform's own accounts waits",
  'credit-codes': 'Discount codes that spend store credit wait',
  deliveries: 'Webhook deliveries wait',
  discounts: 'The comparison of the discounts of members waits',
  facts: 'New events wait',
  import_pruning: 'Removing the rows of old imports waits',
  imports: 'An import waits',
  inbound: 'Messages of the platform wait',
  jobs: 'Jobs for the platform wait',
  'loyalty-collections': 'The collections of the shop that rules of loyalty name wait to be read',
  'loyalty-coupon-walk': 'The comparison of all active coupons of loyalty with the platform waits',
  'loyalty-coupons': 'Coupons of loyalty wait to be made on the platform, or to be taken off it',
  'loyalty-dates': 'Rules and coupon templates of loyalty that begin or end wait',
  metafields: 'Metafields wait to be written',
  'metafield-walk': 'The comparison of all metafields waits',
  metrics: 'The metrics of days wait',
  order_effects: 'What follows from orders waits',
  order_walks: 'Reading orders from the platform waits',
  privacy: 'Requests about personal data wait',
  'read-in': 'Reading in what the shop had waits',
  reconcile: 'The reconciliation with the platform waits',
  'reward-pulls': 'Pulling balances of reward points waits',
  sandbox: 'The sandbox platform waits',
  'spending-walk': 'The comparison of all store credit with the platform waits',
  tags: 'Tags wait to be written',
  'tag-walk': 'The comparison of all tags waits',
  'wallet-campaigns': 'Wallet campaigns that begin or end wait',
  'webhook-warnings': 'Warnings about webhook endpoints wait'
}

const waitsOf = (engine: string) =>
  WAITS[engine] ??
  (engine.startsWith('facts:')
    ? `Events for the consumer ${engine.slice('facts:'.length)} wait`
    : `The work of the engine ${engine} waits`)

/** Work that has been due for more than a minute, by store and engine. `errorOf`: why an engine failed last in a store. */
export async function workProblems(
  db: Database,
  engines: readonly Engine[],
  statuses: StoreStatus[],
  {
    domainOf,
    errorOf,
    causes
  }: {
    domainOf: (storeId: number) => string
    errorOf: (engine: string, storeId: number) => string | null
    causes: readonly Problem[]
  }
): Promise<Problem[]> {
  const waiting = await findWaitingWork(db, engines, statuses, MIN_WAIT_MS)
  const byId = new Map(statuses.map((status) => [status.storeId, status]))
  return waiting.slice(0, MAX_WORK).map((work): Problem => {
    const store = domainOf(work.storeId)
    const reason = reasonOf(work, byId.get(work.storeId)!, errorOf(work.engine, work.storeId))
    return {
      kind: 'work_waiting',
      store,
      subject: work.engine,
      since: work.dueAt,
      message: `${waitsOf(work.engine)}${reason === null ? '' : `: ${reason}`}`,
      next: nextOf(work, byId.get(work.storeId)!, store, causes)
    }
  })
}

function reasonOf({ isHeldBack }: WaitingWork, status: StoreStatus, error: string | null): string | null {
  if (!isHeldBack) return error
  if (!status.isConnected) return 'the store is disconnected'
  return status.isRestored
    ? 'the store was restored from a backup, and its platform is read first'
    : 'the platform is read first'
}

function nextOf(
  { isHeldBack, engine }: WaitingWork,
  status: StoreStatus,
  store: string,
  causes: readonly Problem[]
): string {
  if (isHeldBack && !status.isConnected) return `perennial store connect --store ${store}`
  if (isHeldBack) return `perennial store reconcile --store ${store} --show`
  // Without the right time only what is signed waits.
  const cause = causes.find(({ kind }) => kind !== 'clock_apart' || engine === 'deliveries')
  if (cause) return `Nothing by itself: it goes on when this is over: ${cause.message}`
  return `Is a node of the role all or worker running? Its log names the engine ${engine} if that fails.`
}
