import type { Database } from '#kit/postgres'
import type { Connector, ContractRequest, PlatformFailure } from '#platform'
import { storeContext } from '#stores'
import { ClaimLost } from './claim-lost.ts'
import { type Import, type OpenRow, type RowRefusal, type RowResult, refused } from './import.ts'
import { planFinder } from './plan-finder.ts'
import { lockClaim } from './queries.ts'
import type { RequestedContract } from './read-row.ts'
import { findMadeBefore, markCreating, markRequested } from './row-queries.ts'
import { contractRequestFromRow, type RowContractRequest } from './row-to-contract-request.ts'
import type { Found } from './take-over.ts'

type Read = { row: OpenRow; requested: RequestedContract }

/** What came of rows whose contract is to be made: contracts to take over, rows that are done with, and why others wait. */
export type Made = { found: Found[]; results: RowResult[]; failure: PlatformFailure | null }

type Making = Read & { order: RowContractRequest }

/**
 * Makes contracts on the platform. It knows no idempotency key for this, so each row is first marked with a key that the
 * contract bears, in a transaction of its own; whatever then becomes of the call or of us, the customer's contracts are
 * looked through for the key before anything is made again.
 */
export async function createContracts(
  db: Database,
  storeId: number,
  claimed: Import,
  connector: Connector,
  reads: Read[]
): Promise<Made> {
  if (reads.length === 0) return { found: [], results: [], failure: null }
  const results: RowResult[] = []
  const refuse = ({ row }: Read, refusal: RowRefusal) => results.push({ line: row.line, status: 'refused', refusal })

  const known = await knowCustomers(connector, reads)
  if (!known.ok) return { found: [], results, failure: known.failure }
  const facts = await db.inStore(storeId, async (ctx) => ({
    plans: await planFinder(ctx),
    currency: (await storeContext(ctx)).currency
  }))
  const makings: Making[] = []
  for (const read of reads) {
    const order = contractRequestFromRow(read.requested, { ...facts, ...known.value, mode: claimed.mode })
    if ('refusal' in order) refuse(read, order.refusal)
    else makings.push({ ...read, order })
  }

  // Those that were begun before may be there already.
  const begun = makings.filter(({ row }) => row.status === 'creating')
  const contractOf = new Map<number, string>()
  for (const { row } of begun) {
    const found = await connector.contracts.findIdByKey(row.platformCustomerId!, row.createKey!)
    if (!found.ok) return { found: [], results, failure: found.failure }
    if (found.value) contractOf.set(row.line, found.value)
  }
  const missing = begun.filter(({ row }) => !contractOf.has(row.line))
  // An answer that is still under way may bring the contract yet.
  const isUnderWay = missing.some(({ row }) => !row.isQuiet)
  const repeated = missing.filter(({ row }) => row.isQuiet)
  if (claimed.status === 'cancelled') for (const making of repeated) refuse(making, cancelled())
  const fresh = makings.filter(({ row }) => row.status === 'waiting')
  const keyed = await claimKeys(db, storeId, claimed, fresh, repeated)
  results.push(...keyed.results)
  const toMake = claimed.status === 'cancelled' ? [] : [...repeated, ...keyed.makings]
  const answers = await connector.contracts.create(
    toMake.map(({ row, order }): ContractRequest => ({ ...order, key: row.createKey! }))
  )
  let failure: PlatformFailure | null = isUnderWay
    ? { kind: 'unavailable', message: 'A contract may still be coming' }
    : null
  for (const [i, answer] of answers.entries()) {
    const making = toMake[i]!
    if (answer.ok) contractOf.set(making.row.line, answer.value)
    else if (answer.failure.kind === 'rejected') refuse(making, platformRefused(answer.failure))
    else failure ??= answer.failure
  }
  const contracts = await connector.contracts.findMany([...contractOf.values()])
  if (!contracts.ok) return { found: [], results, failure: contracts.failure }
  const found = makings.flatMap(({ row: { line }, requested }): Found[] => {
    const contract = contracts.value.get(contractOf.get(line) ?? '')
    return contract ? [{ line, requested, contract }] : []
  })
  // One that was made a moment ago and is not to be read yet is found by its key the next time.
  failure ??=
    found.length < contractOf.size ? { kind: 'unavailable', message: 'A new contract cannot be read yet' } : null
  return { found, results, failure }
}

const cancelled = () =>
  refused('platform_refused', null, 'The import was cancelled before the platform had made the contract')

function platformRefused({ message, field }: PlatformFailure): RowRefusal {
  return refused('platform_refused', null, `The platform made no contract: ${message}${field ? ` (${field})` : ''}`)
}

/** Who the rows mean, and what can be charged of them. */
async function knowCustomers(connector: Connector, reads: Read[]) {
  const emails = reads.flatMap(({ requested }) => (requested.customerId === null ? requested.email!.toLowerCase() : []))
  const byEmail = await connector.customers.findByEmails([...new Set(emails)])
  if (!byEmail.ok) return byEmail
  const ids = [...reads.flatMap(({ requested }) => requested.customerId ?? []), ...[...byEmail.value.values()].flat()]
  const cards = await connector.customers.findPaymentMethods([...new Set(ids)])
  return cards.ok ? { ok: true as const, value: { byEmail: byEmail.value, cards: cards.value } } : cards
}

/**
 * Marks rows as being made, each with a key that no other row of any import has. A row whose key was there before is the
 * same row of the same file, or has the sender's number of one: what was made for that is its contract too.
 */
async function claimKeys(
  db: Database,
  storeId: number,
  claimed: Import,
  makings: Making[],
  repeated: Making[]
): Promise<{ makings: Making[]; results: RowResult[] }> {
  const keyed = makings.map((making) => {
    const { line } = making.row
    const { externalId } = making.requested
    const createKey = externalId === null ? `${claimed.fileSha256}:${line}` : `external:${externalId}`
    return { ...making, row: { ...making.row, createKey } }
  })
  return db.inStore(storeId, async (ctx) => {
    if (!(await lockClaim(ctx, claimed))) throw new ClaimLost(claimed.id)
    const marked = await markCreating(
      ctx,
      claimed.id,
      keyed.map(({ row, order }) => ({ line: row.line, createKey: row.createKey, customerId: order.customerId }))
    )
    await markRequested(
      ctx,
      claimed.id,
      repeated.map(({ row }) => row.line)
    )
    const others = keyed.filter(({ row }) => !marked.has(row.line))
    const before = await findMadeBefore(
      ctx,
      others.map(({ row }) => row.createKey)
    )
    const results = others.flatMap(({ row: { line, createKey } }): RowResult[] => {
      const made = before.get(createKey)
      if (!made) return []
      return [{ line, status: 'unchanged', subscriptionId: made.subscriptionId, platformContractId: made.contractId }]
    })
    return { makings: keyed.filter(({ row }) => marked.has(row.line)), results }
  })
}
