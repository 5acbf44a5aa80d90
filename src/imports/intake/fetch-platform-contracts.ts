import type { Ctx, Database } from '#kit/postgres'
import {
  type Connector,
  DownloadFailed,
  downloadLines,
  lineObject,
  numericIdOf,
  type PlatformFailure,
  type PlatformFile
} from '#platform'
import { ClaimLost } from '../claim-lost.ts'
import type { Import } from '../import.ts'
import {
  discardStaged,
  lockClaim,
  markBulkOperation,
  markEnded,
  markListed,
  markRunning,
  releaseClaim
} from '../queries.ts'
import { retainUntil } from '../retain-until.ts'
import type { ImportInput } from './parse-input.ts'
import { STAGING_BATCH, stageRows } from './stage-rows.ts'

/** The outcome of one step: 1 if it did something, or why the platform could not be reached. */
type FetchStep = { done: number; failure: PlatformFailure | null }

/** The platform sends a message when the operation ends; this is the fallback if that message is lost. */
const CHECK_AGAIN_MINUTES = 2
const MAX_OPERATIONS = 5
/** Error codes that mean the shop already runs as many operations as it may: ours waits. */
const BUSY = new Set(['operation_in_progress', 'limit_reached'])
/** Error codes that a retry cannot change. */
const FINAL_ERRORS = new Set(['access_denied'])
const OVER = new Set(['CANCELLED', 'EXPIRED', 'FAILED'])

/**
 * Fetches the list of the platform's contracts with a bulk operation, one step per call: start it, poll it, read its file.
 * The operation's id is stored before the first poll, and its query contains the import's id, so that an operation is found
 * again after a crash.
 */
export async function fetchPlatformContracts(
  db: Database,
  storeId: number,
  claimed: Import,
  connector: Connector
): Promise<FetchStep> {
  const inClaim = <T>(work: (ctx: Ctx) => Promise<T>) =>
    db.inStore(storeId, async (ctx) => {
      if (!(await lockClaim(ctx, claimed))) throw new ClaimLost(claimed.id)
      return work(ctx)
    })
  const nextCheck = (ctx: Ctx) => ctx.now.add({ minutes: CHECK_AGAIN_MINUTES })
  const id = claimed.platformBulkOperationId
  if (id === null) {
    const started = await startOperation(connector, claimed)
    if (!started.ok) {
      if (!BUSY.has(started.failure.code ?? '')) return { done: 0, failure: started.failure }
      await inClaim((ctx) =>
        releaseClaim(ctx, claimed, {
          dueAt: nextCheck(ctx),
          error: 'Waiting for other bulk operations of the shop to end'
        })
      )
      return { done: 1, failure: null }
    }
    await inClaim(async (ctx) => {
      await markBulkOperation(ctx, claimed.id, started.value)
      await releaseClaim(ctx, claimed, { dueAt: ctx.now, error: null })
    })
    return { done: 1, failure: null }
  }

  const operation = await connector.bulk.find(id)
  if (!operation.ok) return { done: 0, failure: operation.failure }
  const { status, file, errorCode, objectCount } = operation.value ?? GONE
  if (UNDER_WAY.has(status)) {
    await inClaim(async (ctx) => {
      await markListed(ctx, claimed.id, objectCount)
      await releaseClaim(ctx, claimed, { dueAt: nextCheck(ctx), error: null })
    })
    return { done: 1, failure: null }
  }
  const startOver = (reason: string): Promise<FetchStep> =>
    inClaim(async (ctx) => {
      if (claimed.failedOperations + 1 >= MAX_OPERATIONS || FINAL_ERRORS.has(errorCode ?? '')) {
        await markEnded(ctx, claimed.id, 'failed', { dueAt: retainUntil(ctx.now), error: reason })
        return { done: 1, failure: null }
      }
      await discardStaged(ctx, claimed.id)
      return { done: 0, failure: { kind: 'unavailable', message: reason } }
    })
  // A failed operation has only a part of the list, so a new one is started.
  if (status !== 'completed') return startOver(`The bulk operation is ${status}${errorCode ? `: ${errorCode}` : ''}`)
  try {
    const lines = file === null ? 0 : await readFile(file, claimed, inClaim)
    if (lines !== objectCount) {
      throw new DownloadFailed(`The bulk operation's file has ${lines} lines; the platform announced ${objectCount}`)
    }
    await inClaim((ctx) => markListed(ctx, claimed.id, objectCount))
  } catch (err) {
    if (err instanceof DownloadFailed) return startOver(err.message)
    throw err
  }
  await inClaim(async (ctx) => {
    await markRunning(ctx, claimed.id, null)
    await releaseClaim(ctx, claimed, { dueAt: ctx.now, error: null })
  })
  return { done: 1, failure: null }
}

const UNDER_WAY = new Set(['created', 'running', 'canceling'])
/** Stands for an operation that the platform no longer has. */
const GONE = { status: 'expired', file: null, errorCode: null, objectCount: 0 }

/** Cancels the bulk operation of a cancelled import, since it would block others. Returns the failure if that did not work. */
export async function stopFetching(
  db: Database,
  storeId: number,
  { id, platformBulkOperationId: operationId }: Import,
  connector: Connector
): Promise<PlatformFailure | null> {
  if (operationId === null) return null
  const cancelled = await connector.bulk.cancel(operationId)
  // A rejection means that the operation has already ended.
  if (!cancelled.ok && cancelled.failure.kind !== 'rejected') return cancelled.failure
  await db.inStore(storeId, (ctx) => markBulkOperation(ctx, id, null))
  return null
}

/** Starts the operation, or finds the one that a crash left behind. */
async function startOperation(connector: Connector, { id, createdAt, failedOperations }: Import) {
  const name = `PerennialImport${id}At${createdAt.epochMilliseconds}No${failedOperations + 1}`
  const query = `query ${name} { subscriptionContracts { edges { node { id status } } } }`
  const newest = await connector.bulk.findNewest()
  if (!newest.ok) return newest
  const left = newest.value.find((one) => one.query === query)
  const isGood = left && ['created', 'running', 'completed'].includes(left.status)
  return isGood ? { ok: true as const, value: left.id } : connector.bulk.run(query)
}

/**
 * Stages the live contracts in the file, starting after the last staged line. Returns the file's number of lines.
 */
async function readFile(
  file: PlatformFile,
  claimed: Import,
  inClaim: <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>
): Promise<number> {
  let line = 0
  let batch: (ImportInput & { line: number })[] = []
  const flush = async () => {
    const rows = batch
    batch = []
    const linesRead = line
    await inClaim((ctx) =>
      stageRows(ctx, claimed.id, rows, { linesRead, stagedSha256: null, columns: ['contract_id'] })
    )
  }
  for await (const lines of downloadLines(file)) {
    for (const text of lines) {
      line++
      if (line <= claimed.linesRead) continue
      const contractId = liveContractIn(text)
      if (contractId) batch.push({ line, input: { contract_id: contractId }, refusal: null, original: null })
      if (batch.length === STAGING_BATCH) await flush()
    }
  }
  if (line > claimed.linesRead) await flush()
  return line
}

function liveContractIn(text: string): string | null {
  if (text === '') return null
  const node = lineObject(text)
  const id = typeof node.id === 'string' ? numericIdOf(node.id) : null
  if (id === null) throw new DownloadFailed("The bulk operation's file has a line without an id")
  return OVER.has(String(node.status)) ? null : id
}
