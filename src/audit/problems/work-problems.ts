import { type Engine, findWaitingWork, type StoreStatus, type WaitingWork } from '#kit/engines'
import type { Database } from '#kit/postgres'
import type { Problem } from './problem.ts'

/** What is due is usually done within seconds. */
const MIN_WAIT_MS = 60_000
const MAX_WORK = 200

/** What the engines do, in words. */
const WORK: Record<string, string> = {
  billing: 'billing (charges, pauses that end, reminders)',
  credits: 'store credit that expires',
  imports: 'an import',
  import_pruning: 'removing the rows of old imports',
  inbound: 'messages of the platform',
  reconcile: 'the reconciliation with the platform',
  jobs: 'jobs for the platform',
  facts: 'new events',
  deliveries: 'webhook deliveries',
  sandbox: 'the sandbox platform'
}

const wordsOf = (engine: string) =>
  WORK[engine] ?? (engine.startsWith('facts:') ? `events for the consumer ${engine.slice('facts:'.length)}` : engine)

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
      message: `${capital(wordsOf(work.engine))} waits${reason === null ? '' : `: ${reason}`}`,
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

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)
