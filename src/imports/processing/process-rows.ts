import { listHeldContracts } from '#contracts'
import { runBatched } from '#kit/batcher'
import { type Ctx, type Database, isOutage } from '#kit/postgres'
import { type Connector, MAX_IDS_PER_DOCUMENT, type PlatformFailure } from '#platform'
import { storeContext } from '#stores'
import { ClaimLost } from '../claim-lost.ts'
import { type Import, type OpenRow, type RowResult, refused } from '../import.ts'
import { type RequestedContract, readRow } from '../intake/read-row.ts'
import { lockClaim } from '../queries.ts'
import { listOpenRows, writeResults } from '../row-queries.ts'
import { createContracts } from './create-contracts.ts'
import { planFinder } from './find-plan.ts'
import { type Found, takeOverContracts } from './take-over-contracts.ts'

/**
 * As many contracts as one document of the platform can return. With more, a second document that exceeds the cost budget
 * would make the first one's result useless.
 */
const BATCH = MAX_IDS_PER_DOCUMENT
const ORIGIN_WITHHELD = 'its order is withheld from us, so that cycles_paid is needed'

/** The outcome of a batch: how many rows were processed, and the platform's failure if there was one. */
export type ProcessedRows = { rows: number; failure: PlatformFailure | null }

type Read = { row: OpenRow; requested: RequestedContract }

/** Processes the next rows of a claimed import. Throws `ClaimLost` and writes nothing once the claim is lost. */
export async function processRows(
  db: Database,
  storeId: number,
  claimed: Import,
  connector: Connector
): Promise<ProcessedRows> {
  const { rows, facts } = await db.inStore(storeId, async (ctx) => ({
    rows: await listOpenRows(ctx, claimed, BATCH),
    facts: { ...(await storeContext(ctx)), now: ctx.now }
  }))
  const results: RowResult[] = []
  const takeovers: Read[] = []
  const creations: Read[] = []
  for (const row of rows) {
    // A row being created was valid when it was first read; its date may have passed since then.
    const { requested, refusal } = readRow(row.input, { ...facts, mayHavePassed: row.status === 'creating' })
    if (refusal) results.push({ line: row.line, status: 'refused', refusal })
    else if (requested.contractId) takeovers.push({ row, requested })
    else creations.push({ row, requested })
  }
  const wanted = takeovers.map(({ requested }) => requested.contractId!)
  const existing = await listHeldContracts(db.direct, storeId, wanted)
  const known = new Map(existing.map(({ contractId, id }) => [contractId, id]))
  // Contracts that we already have need no request to the platform.
  for (const { row, requested } of takeovers) {
    const subscriptionId = known.get(requested.contractId!)
    if (subscriptionId === undefined) continue
    results.push({ line: row.line, status: 'unchanged', subscriptionId, platformContractId: requested.contractId! })
  }
  const unknown = takeovers.filter(({ requested }) => !known.has(requested.contractId!))
  const found = await findContracts(connector, unknown)
  if ('failure' in found) return { rows: 0, failure: found.failure }
  const created = await createContracts(db, storeId, claimed, connector, creations)
  const toImport = [...found.found, ...created.found]
  const orders = await connector.orders.findMany([
    ...new Set(toImport.flatMap(({ contract }) => contract.originOrder?.id ?? []))
  ])
  if (!orders.ok) return { rows: 0, failure: orders.failure }

  const settled = [...results, ...found.results, ...created.results]
  const outcomes = await runBatched(toImport, (batch) =>
    inClaim(db, storeId, claimed, async (ctx) => {
      const orderIds = new Set(batch.map(({ contract }) => contract.originOrder?.id))
      const origins = [...orders.value.values()].filter(({ id }) => orderIds.has(id))
      const imported = await takeOverContracts(ctx, claimed, batch, origins, await planFinder(ctx))
      await writeResults(ctx, claimed.id, imported)
      return batch
    })
  )
  const failed = outcomes.flatMap((outcome, i) => (outcome.status === 'rejected' ? [{ ...toImport[i]!, outcome }] : []))
  const outage = failed.find(({ outcome }) => isOutage(outcome.reason) || outcome.reason instanceof ClaimLost)
  if (outage) throw outage.outcome.reason
  const broken = failed.map(
    ({ line, outcome }): RowResult => ({
      line,
      status: 'refused',
      refusal: refused('internal_error', null, `Something went wrong on our side: ${(outcome.reason as Error).message}`)
    })
  )
  await inClaim(db, storeId, claimed, (ctx) => writeResults(ctx, claimed.id, [...settled, ...broken]))
  return { rows: settled.length + toImport.length, failure: created.failure }
}

/** Runs a transaction that holds the claim on the import. */
function inClaim<T>(db: Database, storeId: number, claimed: Import, work: (ctx: Ctx) => Promise<T>): Promise<T> {
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
    const isOriginNeeded = contract?.originOrder === undefined && requested.cyclesPaid === null
    const reason = contract && isOriginNeeded ? ORIGIN_WITHHELD : unreadable.get(requested.contractId!)
    if (contract && !isOriginNeeded) found.push({ line: row.line, requested, contract })
    else {
      const refusal =
        reason === undefined
          ? refused('contract_not_found', 'contract_id', 'The platform has no such contract')
          : refused(
              'contract_not_understood',
              'contract_id',
              `The platform's data of this contract cannot be read: ${reason}`
            )
      results.push({ line: row.line, status: 'refused', refusal })
    }
  }
  return { found, results }
}
