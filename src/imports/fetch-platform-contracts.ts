import type { Ctx, Database } from '#kit/postgres'
import { type Connector, DownloadFailed, downloadLines, numericIdOf, type PlatformFailure } from '#platform'
import { ClaimLost } from './claim-lost.ts'
import type { Import } from './import.ts'
import type { ImportInput } from './parse-input.ts'
import {
  forgetStaged,
  lockClaim,
  markBulkOperation,
  markEnded,
  markListed,
  markRunning,
  releaseClaim
} from './queries.ts'
import { retainUntil } from './retain-until.ts'
import { STAGED_AT_ONCE, stageRows } from './stage-rows.ts'

/** What came of a look: whether anything was done, or why the platform could not be asked. */
type Fetched = { done: number; failure: PlatformFailure | null }

/** The platform tells when it is done; this is for when that message is lost. */
const CHECK_AGAIN_MINUTES = 2
const MAX_OPERATIONS = 5
/** The shop has as many operations under way as it may: ours waits for its turn. */
const BUSY = new Set(['operation_in_progress', 'limit_reached'])
/** What will be the same however often it is asked. */
const FINAL_ERRORS = new Set(['access_denied'])
const OVER = new Set(['CANCELLED', 'EXPIRED', 'FAILED'])

/**
 * Gets the list of the platform's contracts by a bulk operation, one step at a call: begin it, look after it, read its file.
 * Its number is noted before anybody waits for it, and its query names the import, so that one that a crash left behind is
 * found again.
 */
export async function fetchPlatformContracts(
  db: Database,
  storeId: number,
  claimed: Import,
  connector: Connector
): Promise<Fetched> {
  const held = <T>(work: (ctx: Ctx) => Promise<T>) =>
    db.inStore(storeId, async (ctx) => {
      if (!(await lockClaim(ctx, claimed))) throw new ClaimLost(claimed.id)
      return work(ctx)
    })
  const later = (ctx: Ctx) => ctx.now.add({ minutes: CHECK_AGAIN_MINUTES })
  const id = claimed.platformBulkOperationId
  if (id === null) {
    const begun = await begin(connector, claimed)
    if (!begun.ok) {
      if (!BUSY.has(begun.failure.code ?? '')) return { done: 0, failure: begun.failure }
      await held((ctx) =>
        releaseClaim(ctx, claimed, { dueAt: later(ctx), error: 'Other bulk operations of the shop are under way' })
      )
      return { done: 1, failure: null }
    }
    await held(async (ctx) => {
      await markBulkOperation(ctx, claimed.id, begun.value)
      await releaseClaim(ctx, claimed, { dueAt: ctx.now, error: null })
    })
    return { done: 1, failure: null }
  }

  const operation = await connector.bulk.find(id)
  if (!operation.ok) return { done: 0, failure: operation.failure }
  const { status, url, errorCode, objectCount } = operation.value ?? GONE
  if (UNDER_WAY.has(status)) {
    await held(async (ctx) => {
      await markListed(ctx, claimed.id, objectCount)
      await releaseClaim(ctx, claimed, { dueAt: later(ctx), error: null })
    })
    return { done: 1, failure: null }
  }
  const again = (reason: string): Promise<Fetched> =>
    held(async (ctx) => {
      if (claimed.failedOperations + 1 >= MAX_OPERATIONS || FINAL_ERRORS.has(errorCode ?? '')) {
        await markEnded(ctx, claimed.id, 'failed', { dueAt: retainUntil(ctx.now), error: reason })
        return { done: 1, failure: null }
      }
      await forgetStaged(ctx, claimed.id)
      return { done: 0, failure: { kind: 'unavailable', message: reason } }
    })
  // What a failed one has read by then is not the list: it is asked for anew.
  if (status !== 'completed') return again(`The bulk operation is ${status}${errorCode ? `: ${errorCode}` : ''}`)
  try {
    const lines = url === null ? 0 : await readFile(url, claimed, held)
    if (lines !== objectCount) {
      throw new DownloadFailed(`The file of the bulk operation has ${lines} lines, and ${objectCount} were announced`)
    }
    await held((ctx) => markListed(ctx, claimed.id, objectCount))
  } catch (err) {
    if (err instanceof DownloadFailed) return again(err.message)
    throw err
  }
  await held(async (ctx) => {
    await markRunning(ctx, claimed.id, null)
    await releaseClaim(ctx, claimed, { dueAt: ctx.now, error: null })
  })
  return { done: 1, failure: null }
}

const UNDER_WAY = new Set(['created', 'running', 'canceling'])
/** The platform knows it no more. */
const GONE = { status: 'expired', url: null, errorCode: null, objectCount: 0 }

/** An import was cancelled that waits for its list: the operation is in the way of others. Why the platform did not take that. */
export async function stopFetching(
  db: Database,
  storeId: number,
  { id, platformBulkOperationId: operationId }: Import,
  connector: Connector
): Promise<PlatformFailure | null> {
  if (operationId === null) return null
  const cancelled = await connector.bulk.cancel(operationId)
  // One that is over is in nobody's way.
  if (!cancelled.ok && cancelled.failure.kind !== 'rejected') return cancelled.failure
  await db.inStore(storeId, (ctx) => markBulkOperation(ctx, id, null))
  return null
}

/** Begins the operation, or finds that it was begun. */
async function begin(connector: Connector, { id, createdAt, failedOperations }: Import) {
  const name = `PerennialImport${id}At${createdAt.epochMilliseconds}No${failedOperations + 1}`
  const query = `query ${name} { subscriptionContracts { edges { node { id status } } } }`
  const newest = await connector.bulk.findNewest()
  if (!newest.ok) return newest
  const isOurs = newest.value?.query === query && ['created', 'running', 'completed'].includes(newest.value.status)
  return isOurs ? { ok: true as const, value: newest.value!.id } : connector.bulk.run(query)
}

/**
 * Stages the contracts that the file names and that are not over, from the line on where it was left. Returns how many lines it
 * has.
 */
async function readFile(
  url: string,
  claimed: Import,
  held: <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>
): Promise<number> {
  let line = 0
  let batch: (ImportInput & { line: number })[] = []
  const flush = async () => {
    const rows = batch
    batch = []
    const linesRead = line
    await held((ctx) => stageRows(ctx, claimed.id, rows, { linesRead, stagedSha256: null, columns: ['contract_id'] }))
  }
  for await (const lines of downloadLines(url)) {
    for (const text of lines) {
      line++
      if (line <= claimed.linesRead) continue
      const contractId = liveContractIn(text)
      if (contractId) batch.push({ line, input: { contract_id: contractId }, refusal: null, original: null })
      if (batch.length === STAGED_AT_ONCE) await flush()
    }
  }
  if (line > claimed.linesRead) await flush()
  return line
}

function liveContractIn(text: string): string | null {
  if (text === '') return null
  let node: { id?: unknown; status?: unknown }
  try {
    node = JSON.parse(text)
  } catch {
    throw new DownloadFailed('The file of the bulk operation has a line that is no JSON')
  }
  const id = typeof node.id === 'string' ? numericIdOf(node.id) : null
  if (id === null) throw new DownloadFailed('The file of the bulk operation has a line without an id')
  return OVER.has(String(node.status)) ? null : id
}
