import { type Engine, nextDueBy } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { createWalker, retryMinutes } from '#kit/walks'
import { startOrderImport, walkDisputes } from '#orders'
import {
  bulkQueryOf,
  type Connector,
  DownloadFailed,
  listMessagesAfter,
  type PlatformFailure,
  type PlatformResult,
  succeeded
} from '#platform'
import { messageOf } from '../inbound-engine.ts'
import { applyCustomerDeletions } from '../messages/apply-customer-deletions.ts'
import { applyCustomerMerges } from '../messages/apply-customer-merges.ts'
import { applyFile, ReadInLost } from './apply-file.ts'
import {
  type ClaimedReadIn,
  claimReadIn,
  dueReadIns,
  extendReadIn,
  markFailed,
  markStep,
  nextReadInAt,
  type ReadInStep,
  releaseReadIns
} from './read-ins.ts'

/** How often the platform is asked whether it has written its file, unless its message comes first; after each time a little later. */
const ASK_AFTER_SECONDS = [1, 2, 5, 10, 30, 60] as const
/** Error codes that mean the shop already runs as many operations as it may: ours waits. */
const BUSY = new Set(['operation_in_progress', 'limit_reached'])
const BUSY_SECONDS = 120
const UNDER_WAY = new Set(['created', 'running', 'canceling'])
/** So long a file is read before other work of the store gets its turn. */
const BUDGET_MS = 20_000
const MESSAGES_AT_ONCE = 200

/**
 * Reads in what a store had on its platform before it was connected. The platform writes each part into a file, which costs next to
 * nothing of the store's cost budget; what the file shows is handled as a message would be.
 */
export function createReadInEngine({
  db,
  leaseOwner,
  connectorOf,
  leaseMs,
  budgetMs = BUDGET_MS
}: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
  budgetMs?: number
}): Engine {
  const step = async (storeId: number, claimed: ClaimedReadIn): Promise<PlatformResult<ReadInStep>> => {
    const connector = await connectorOf(storeId)
    if (claimed.bulkOperationId === null) return begin(connector, claimed)
    const found = await connector.bulk.find(claimed.bulkOperationId)
    if (!found.ok) return found
    const operation = found.value
    const again = (error: string): PlatformResult<ReadInStep> =>
      succeeded({ phase: 'start', error, isFailed: true, waitSeconds: 60 * retryMinutes(claimed.failures + 1) })
    if (!operation) return again('The platform no longer has the bulk operation')
    const { id: bulkOperationId, status, errorCode, objectCount: lines, file } = operation
    if (UNDER_WAY.has(status)) {
      const asked = Math.min(claimed.asked + 1, ASK_AFTER_SECONDS.length - 1)
      return succeeded({ phase: 'wait', bulkOperationId, asked, lines, waitSeconds: ASK_AFTER_SECONDS[asked]! })
    }
    if (errorCode === 'access_denied') return denied(db, storeId, claimed)
    // A failed operation has only a part, so a new one is begun.
    if (status !== 'completed') return again(`The bulk operation is ${status}${errorCode ? `: ${errorCode}` : ''}`)
    if (claimed.phase !== 'read') return succeeded({ phase: 'read', bulkOperationId, lines })
    if (file) {
      const applied = await applyFile({ db, storeId, connector, claimed }, file, budgetMs).catch(notDownloaded)
      if ('failure' in applied) return { ok: false, failure: applied.failure }
      if (!applied.isOver) return succeeded({ phase: 'read', bulkOperationId, lines })
      if (applied.lines !== lines) {
        return again(`The bulk operation's file has ${applied.lines} lines; the platform announced ${lines}`)
      }
    }
    if (claimed.part === 'customers') await repeatDepartures({ db, connectorOf }, storeId, claimed)
    if (claimed.part === 'orders') await walkDisputes({ db, storeId, connector }, claimed.since!)
    return succeeded({ phase: 'done' })
  }

  const walkOn = createWalker({
    db,
    leaseMs,
    claim: (ctx, ms) => claimReadIn(ctx, leaseOwner, ms),
    extend: extendReadIn,
    read: step,
    record: markStep,
    putOff: markFailed
  })

  return {
    name: 'read-in',
    stage: 'others',
    releaseLeases: releaseReadIns,
    needsPlatform: true,
    restsAfterRestore: true,
    realTime: true,
    due: dueReadIns,
    ...nextDueBy(db, nextReadInAt),
    async runOnce(storeId) {
      try {
        return (await walkOn(storeId)) ? 1 : 0
      } catch (err) {
        if (err instanceof ReadInLost) return 0
        throw err
      }
    }
  }
}

/** The link to the file may have expired: the next step asks for another. */
function notDownloaded(err: unknown): { failure: PlatformFailure } {
  if (!(err instanceof DownloadFailed)) throw err
  return { failure: { kind: 'unavailable', message: err.message } }
}

/** Begins the bulk operation, or finds the one that a crash left behind: its name is that of this read. */
async function begin(connector: Connector, claimed: ClaimedReadIn): Promise<PlatformResult<ReadInStep>> {
  const { part, since, startedAt, operations } = claimed
  const query = bulkQueryOf(part, `PerennialReadIn${startedAt!.epochMilliseconds}No${operations}`, since)
  const newest = await connector.bulk.findNewest()
  if (!newest.ok) return newest
  const left = newest.value.find(
    (one) => one.query === query && (UNDER_WAY.has(one.status) || one.status === 'completed')
  )
  const begun = left ? succeeded(left.id) : await connector.bulk.run(query, { isGrouped: true })
  if (!begun.ok) {
    if (!BUSY.has(begun.failure.code ?? '')) return begun
    const error = 'Waiting for other bulk operations of the shop to end'
    return succeeded({ phase: 'start', error, isFailed: false, waitSeconds: BUSY_SECONDS })
  }
  return succeeded({
    phase: 'wait',
    bulkOperationId: begun.value,
    asked: 0,
    lines: 0,
    waitSeconds: ASK_AFTER_SECONDS[0]
  })
}

/**
 * A bulk operation fails where anything in it may not be read. Orders can then be read page by page, each without what is withheld;
 * of customers and contracts nothing is left.
 */
async function denied(db: Database, storeId: number, claimed: ClaimedReadIn): Promise<PlatformResult<ReadInStep>> {
  if (claimed.part === 'orders') {
    await db.inStore(storeId, (ctx) => startOrderImport(ctx, claimed.since!))
    const error =
      'The platform withholds a part of orders: they are read page by page instead, see the import of orders'
    return succeeded({ phase: 'failed', error })
  }
  return succeeded({ phase: 'failed', error: `The app may not read ${claimed.part}: an access scope is not granted` })
}

/**
 * Handles once more what was reported of customers who were deleted or merged since the file was begun: it may show them, and where it
 * came first nobody was known yet whom the message is about.
 */
async function repeatDepartures(
  deps: { db: Database; connectorOf: (storeId: number) => Promise<Connector> },
  storeId: number,
  { messagesBefore }: ClaimedReadIn
): Promise<void> {
  for (let after = messagesBefore; ; ) {
    const topics = ['customers/delete', 'customers/merge']
    const found = await deps.db.inStore(storeId, (ctx) =>
      listMessagesAfter(ctx, { topics, after, limit: MESSAGES_AT_ONCE })
    )
    const of = (topic: string) => found.filter((one) => one.topic === topic).map(messageOf)
    if (of('customers/delete').length > 0) await applyCustomerDeletions(deps, storeId, of('customers/delete'))
    if (of('customers/merge').length > 0) await applyCustomerMerges(deps, storeId, of('customers/merge'))
    if (found.length < MESSAGES_AT_ONCE) return
    after = found.at(-1)!.id
  }
}
