import type { Database } from '#kit/postgres'
import type { Connector, ContractRequest, PlatformFailure } from '#platform'
import { storeContext } from '#stores'
import { ClaimLost } from '../claim-lost.ts'
import { type Import, type OpenRow, type RowRefusal, type RowResult, refused } from '../import.ts'
import type { RequestedContract } from '../intake/read-row.ts'
import { lockClaim, lockRunningImports } from '../queries.ts'
import { findCreated, markCreating, markRequested } from '../row-queries.ts'
import { planFinder } from './find-plan.ts'
import { refuseDuplicates } from './refuse-duplicates.ts'
import { contractRequestFromRow, type RowCreation } from './row-to-contract-request.ts'
import type { Found } from './take-over-contracts.ts'

type Read = { row: OpenRow; requested: RequestedContract }

/** The outcome: contracts to import, finished rows, and the failure because of which other rows still wait. */
export type CreationResults = { found: Found[]; results: RowResult[]; failure: PlatformFailure | null }

type Creation = Read & RowCreation

/**
 * Creates the contracts of rows on the platform. The platform has no idempotency key for this, so each row first stores a key,
 * in its own transaction, which the contract carries as an attribute. After a lost response or a crash, the customer's
 * contracts are searched for that key before the creation is repeated.
 */
export async function createContracts(
  db: Database,
  storeId: number,
  claimed: Import,
  connector: Connector,
  reads: Read[]
): Promise<CreationResults> {
  if (reads.length === 0) return { found: [], results: [], failure: null }
  const results: RowResult[] = []
  const refuse = ({ row }: Read, refusal: RowRefusal) => results.push({ line: row.line, status: 'refused', refusal })

  const customers = await findCustomers(connector, reads)
  if (!customers.ok) return { found: [], results, failure: customers.failure }
  const facts = await db.inStore(storeId, async (ctx) => ({
    plans: await planFinder(ctx),
    currency: (await storeContext(ctx)).currency
  }))
  const creations: Creation[] = []
  for (const read of reads) {
    const creation = contractRequestFromRow(read.requested, { ...facts, ...customers.value, mode: claimed.mode })
    if ('refusal' in creation) refuse(read, creation.refusal)
    else creations.push({ ...read, ...creation })
  }

  // The platform may already have the contracts of earlier attempts.
  const started = creations.filter(({ row }) => row.status === 'creating')
  const contractOf = new Map<number, string>()
  for (const { row } of started) {
    const found = await connector.contracts.findIdByKey(row.platformCustomerId!, row.createKey!)
    if (!found.ok) return { found: [], results, failure: found.failure }
    if (found.value) contractOf.set(row.line, found.value)
  }
  const missing = started.filter(({ row }) => !contractOf.has(row.line))
  // A response may still be on its way, and its contract may appear later.
  const isUnderWay = missing.some(({ row }) => !row.isQuiet)
  const repeated = missing.filter(({ row }) => row.isQuiet)
  if (claimed.status === 'cancelled') for (const creation of repeated) refuse(creation, cancelled())
  const fresh = creations.filter(({ row }) => row.status === 'waiting')
  const keyed = await claimKeys(db, storeId, claimed, fresh, repeated)
  results.push(...keyed.results)
  const toMake = claimed.status === 'cancelled' ? [] : [...repeated, ...keyed.creations]
  const responses = await connector.contracts.create(
    toMake.map(({ row, request }): ContractRequest => ({ ...request, key: row.createKey! }))
  )
  let failure: PlatformFailure | null = isUnderWay
    ? { kind: 'unavailable', message: 'A contract may still be being created' }
    : null
  for (const [i, response] of responses.entries()) {
    const creation = toMake[i]!
    if (response.ok) contractOf.set(creation.row.line, response.value)
    else if (response.failure.kind === 'rejected') refuse(creation, platformRefused(response.failure))
    else failure ??= response.failure
  }
  const contracts = await connector.contracts.findMany([...contractOf.values()])
  if (!contracts.ok) return { found: [], results, failure: contracts.failure }
  const found = creations.flatMap(({ row: { line }, requested }): Found[] => {
    const contract = contracts.value.get(contractOf.get(line) ?? '')
    return contract ? [{ line, requested, contract }] : []
  })
  // A contract that the platform does not return yet is found by its key in the next run.
  failure ??=
    found.length < contractOf.size ? { kind: 'unavailable', message: 'A new contract cannot be read yet' } : null
  return { found, results, failure }
}

const cancelled = () =>
  refused('platform_refused', null, 'The import was cancelled before the platform created the contract')

function platformRefused({ message, field }: PlatformFailure): RowRefusal {
  return refused(
    'platform_refused',
    null,
    `The platform did not create the contract: ${message}${field ? ` (${field})` : ''}`
  )
}

/** The customers that the rows reference, and their payment methods. */
async function findCustomers(connector: Connector, reads: Read[]) {
  const emails = reads.flatMap(({ requested }) => (requested.customerId === null ? requested.email!.toLowerCase() : []))
  const byEmail = await connector.customers.findByEmails([...new Set(emails)])
  if (!byEmail.ok) return byEmail
  const ids = [...reads.flatMap(({ requested }) => requested.customerId ?? []), ...[...byEmail.value.values()].flat()]
  const cards = await connector.customers.findPaymentMethods([...new Set(ids)])
  return cards.ok ? { ok: true as const, value: { byEmail: byEmail.value, cards: cards.value } } : cards
}

/**
 * Marks rows as being created, each with a key that is unique over all imports of the store. A row whose key already exists is
 * the same row of the same file, or has the same external id: it shares the contract that was created for that key. Rows that
 * create what another row without an id has created are refused.
 */
async function claimKeys(
  db: Database,
  storeId: number,
  claimed: Import,
  creations: Creation[],
  repeated: Creation[]
): Promise<{ creations: Creation[]; results: RowResult[] }> {
  const keyed = creations.map((creation) => {
    const { line } = creation.row
    const { externalId } = creation.requested
    const createKey = externalId === null ? `${claimed.fileSha256}:${line}` : `external:${externalId}`
    return { ...creation, row: { ...creation.row, createKey } }
  })
  return db.inStore(storeId, async (ctx) => {
    await lockRunningImports(ctx)
    if (!(await lockClaim(ctx, claimed))) throw new ClaimLost(claimed.id)
    const { allowed, refused } = await refuseDuplicates(ctx, claimed, keyed)
    const marked = await markCreating(
      ctx,
      claimed.id,
      allowed.map(({ row, request, creates }) => ({
        line: row.line,
        createKey: row.createKey,
        customerId: request.customerId,
        creates
      }))
    )
    await markRequested(
      ctx,
      claimed.id,
      repeated.map(({ row }) => row.line)
    )
    const others = allowed.filter(({ row }) => !marked.has(row.line))
    const before = await findCreated(
      ctx,
      others.map(({ row }) => row.createKey)
    )
    const results = others.flatMap(({ row: { line, createKey } }): RowResult[] => {
      const earlier = before.get(createKey)
      if (!earlier) return []
      return [
        { line, status: 'unchanged', subscriptionId: earlier.subscriptionId, platformContractId: earlier.contractId }
      ]
    })
    return { creations: allowed.filter(({ row }) => marked.has(row.line)), results: [...refused, ...results] }
  })
}
