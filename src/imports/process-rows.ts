import { listHeldContracts } from '#contracts'
import { runBatched } from '#kit/batcher'
import { type Ctx, type Database, isOutage } from '#kit/postgres'
import { type Connector, MAX_IDS_PER_DOCUMENT, type PlatformFailure } from '#platform'
import { storeContext } from '#stores'
import { ClaimLost } from './claim-lost.ts'
import { createContracts } from './create-contracts.ts'
import { type Import, type OpenRow, type RowResult, refused } from './import.ts'
import { planFinder } from './plan-finder.ts'
import { lockClaim } from './queries.ts'
import { type RequestedContract, readRow } from './read-row.ts'
import { listOpenRows, writeResults } from './row-queries.ts'
import { type Found, takeOver } from './take-over.ts'

/**
 * As many contracts as the platform tells in one document. Of more, which may not all be told within the budget, those that
 * were told would have been told in vain.
 */
const ROWS_AT_ONCE = MAX_IDS_PER_DOCUMENT

/** What came of a batch: how many rows, or why the platform could not be asked. */
export type ProcessedRows = { rows: number; failure: PlatformFailure | null }

type Read = { row: OpenRow; requested: RequestedContract }

/** Works off the next rows of a claimed import. A worker that has lost the claim meanwhile writes nothing. */
export async function processRows(
  db: Database,
  storeId: number,
  claimed: Import,
  connector: Connector
): Promise<ProcessedRows> {
  const { rows, facts } = await db.inStore(storeId, async (ctx) => ({
    rows: await listOpenRows(ctx, claimed, ROWS_AT_ONCE),
    facts: { ...(await storeContext(ctx)), now: ctx.now }
  }))
  const results: RowResult[] = []
  const takeovers: Read[] = []
  const creations: Read[] = []
  for (const row of rows) {
    // What is just being made was read before; its date may have passed since.
    const { requested, refusal } = readRow(row.input, { ...facts, mayHavePassed: row.status === 'creating' })
    if (refusal) results.push({ line: row.line, status: 'refused', refusal })
    else if (requested.contractId) takeovers.push({ row, requested })
    else creations.push({ row, requested })
  }
  const wanted = takeovers.map(({ requested }) => requested.contractId!)
  const ours = await listHeldContracts(db.direct, storeId, wanted)
  const known = new Map(ours.map(({ contractId, id }) => [contractId, id]))
  // Of what is ours already the platform need not be asked.
  for (const { row, requested } of takeovers) {
    const subscriptionId = known.get(requested.contractId!)
    if (subscriptionId === undefined) continue
    results.push({ line: row.line, status: 'unchanged', subscriptionId, platformContractId: requested.contractId! })
  }
  const unknown = takeovers.filter(({ requested }) => !known.has(requested.contractId!))
  const found = await findContracts(connector, unknown)
  if ('failure' in found) return { rows: 0, failure: found.failure }
  const made = await createContracts(db, storeId, claimed, connector, creations)
  const reported = [...found.found, ...made.found]
  const orders = await connector.orders.findMany([
    ...new Set(reported.flatMap(({ contract }) => contract.originOrder?.id ?? []))
  ])
  if (!orders.ok) return { rows: 0, failure: orders.failure }

  const settled = [...results, ...found.results, ...made.results]
  const outcomes = await runBatched(reported, (some) =>
    held(db, storeId, claimed, async (ctx) => {
      const wanted = new Set(some.map(({ contract }) => contract.originOrder?.id))
      const origins = [...orders.value.values()].filter(({ id }) => wanted.has(id))
      const taken = await takeOver(ctx, claimed, some, origins, await planFinder(ctx))
      await writeResults(ctx, claimed.id, taken)
      return some
    })
  )
  const failed = outcomes.flatMap((outcome, i) => (outcome.status === 'rejected' ? [{ ...reported[i]!, outcome }] : []))
  const outage = failed.find(({ outcome }) => isOutage(outcome.reason) || outcome.reason instanceof ClaimLost)
  if (outage) throw outage.outcome.reason
  const broken = failed.map(
    ({ line, outcome }): RowResult => ({
      line,
      status: 'refused',
      refusal: refused('internal_error', null, `Something went wrong on our side: ${(outcome.reason as Error).message}`)
    })
  )
  await held(db, storeId, claimed, (ctx) => writeResults(ctx, claimed.id, [...settled, ...broken]))
  return { rows: settled.length + reported.length, failure: made.failure }
}

/** A transaction of the import, which nobody else has meanwhile. */
function held<T>(db: Database, storeId: number, claimed: Import, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  return db.inStore(storeId, async (ctx) => {
    if (!(await lockClaim(ctx, claimed))) throw new ClaimLost(claimed.id)
    return work(ctx)
  })
}

async function findContracts(
  connector: Connector,
  reads: Read[]
): Promise<{ found: Found[]; results: RowResult[] } | { failure: PlatformFailure }> {
  const read = await connector.contracts.findReadable(reads.map(({ requested }) => requested.contractId!))
  if (!read.ok) return { failure: read.failure }
  const { contracts, unreadable } = read.value
  const found: Found[] = []
  const results: RowResult[] = []
  for (const { row, requested } of reads) {
    const contract = contracts.get(requested.contractId!)
    const reason = unreadable.get(requested.contractId!)
    if (contract) found.push({ line: row.line, requested, contract })
    else {
      const refusal =
        reason === undefined
          ? refused('contract_not_found', 'contract_id', 'The platform has no such contract')
          : refused(
              'contract_not_understood',
              'contract_id',
              `What the platform says of it is not understood: ${reason}`
            )
      results.push({ line: row.line, status: 'refused', refusal })
    }
  }
  return { found, results }
}
