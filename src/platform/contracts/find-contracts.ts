import type { PlatformClient } from '../wire/client.ts'
import { type Fields, MalformedPayload } from '../wire/fields.ts'
import { findByIds } from '../wire/find-by-ids.ts'
import { failed, type PlatformResult, succeeded, UNREADABLE_RESPONSE } from '../wire/outcome.ts'
import { nextCursor, type Page, readPage, sinceQuery } from '../wire/pages.ts'
import { type PlatformContract, readContract } from './contract.ts'
import { discountedDelivery, readDiscounts } from './discounts.ts'
import {
  AllContracts,
  ContractById,
  ContractsByIds,
  ContractsUpdatedSince,
  DeliveryDiscounts,
  LineAllocations,
  LineAllocationsOfOne
} from './documents.ts'
import { type AllocatedLine, memberPrices, readAllocatedLine } from './member-discounts.ts'

/** By id, the reason why a contract that exists cannot be read. */
export type Unreadable = Map<string, string>
/** Contracts by id, each with all its lines; and those that exist and cannot be read. */
export type FoundContracts = { contracts: Map<string, PlatformContract>; unreadable: Unreadable }
/** A page of contracts, with those on it that cannot be read. */
export type ContractsPage = Page<PlatformContract> & { unreadable: Unreadable }

/** The contracts that could be read so far, and the others. */
type Sorted = { contracts: PlatformContract[]; unreadable: Unreadable }
/** A contract as a page of its lines shows it. `after` leads to the next page of lines. */
type LinesPage = { contract: PlatformContract; after: string | null }

/** One contract with all its lines, however many pages they take; null when the platform has no such contract. */
export async function findContract(
  client: PlatformClient,
  id: string
): Promise<PlatformResult<PlatformContract | null>> {
  const found = await findAllLines(client, id)
  if (!found.ok || !found.value) return found
  const complete = await withDiscounts(client, { contracts: [found.value], unreadable: new Map() })
  if (!complete.ok) return complete
  const { contracts, unreadable } = complete.value
  return unreadable.size > 0 ? notUnderstood(unreadable) : succeeded(contracts[0]!)
}

/** Many contracts; one that cannot be read does not block the others. */
export async function findReadableContracts(
  client: PlatformClient,
  ids: string[]
): Promise<PlatformResult<FoundContracts>> {
  const read = await findByIds(client, 'SubscriptionContract', ContractsByIds, ids, readOrReason)
  if (!read.ok) return read
  const complete = await withAllLines(client, [...read.value.values()])
  if (!complete.ok) return complete
  const { contracts, unreadable } = complete.value
  return succeeded({ contracts: new Map(contracts.map((contract) => [contract.id, contract])), unreadable })
}

/** Many contracts, for callers that need all of them: one that cannot be read is the failure of all. */
export async function findContracts(
  client: PlatformClient,
  ids: string[]
): Promise<PlatformResult<Map<string, PlatformContract>>> {
  const found = await findReadableContracts(client, ids)
  if (!found.ok) return found
  return found.value.unreadable.size > 0 ? notUnderstood(found.value.unreadable) : succeeded(found.value.contracts)
}

/**
 * A page of the contracts that changed at `since` or later, oldest change first; or of all contracts, by id, when that is
 * null. `after` is the end of the page before.
 */
export async function listContracts(
  client: PlatformClient,
  since: Temporal.Instant | null,
  after: string | null
): Promise<PlatformResult<ContractsPage>> {
  const read = (data: Fields) => readPage(data.at('subscriptionContracts'), readOrReason)
  const page =
    since === null
      ? await client.query(AllContracts, { after }, read)
      : await client.query(ContractsUpdatedSince, { query: sinceQuery('updated_at', since), after }, read)
  if (!page.ok) return page
  const complete = await withAllLines(client, page.value.items)
  if (!complete.ok) return complete
  const { contracts, unreadable } = complete.value
  return succeeded({ items: contracts, unreadable, after: page.value.after })
}

function notUnderstood(unreadable: Unreadable) {
  const reasons = [...unreadable].map(([id, reason]) => `contract ${id}: ${reason}`).join('; ')
  const message = `The platform's answer cannot be understood: ${reasons}`
  return failed({ kind: 'unavailable', message, code: UNREADABLE_RESPONSE })
}

async function findAllLines(client: PlatformClient, id: string): Promise<PlatformResult<PlatformContract | null>> {
  let complete: PlatformContract | null = null
  let after: string | null = null
  do {
    const result: PlatformResult<LinesPage | null> = await client.query(
      ContractById,
      { id: client.gid('SubscriptionContract', id), after },
      (data) => {
        const contract = data.maybeAt('subscriptionContract')
        return contract && readLinesPage(contract)
      }
    )
    if (!result.ok) return result
    if (!result.value) return succeeded(null)
    const { contract } = result.value
    complete = complete
      ? {
          ...contract,
          lines: [...complete.lines, ...contract.lines],
          priceMinor: complete.priceMinor + contract.priceMinor,
          lineChargesMinor: [...complete.lineChargesMinor, ...contract.lineChargesMinor]
        }
      : contract
    after = result.value.after
  } while (after)
  return succeeded(complete)
}

function readLinesPage(contract: Fields): LinesPage {
  const after = nextCursor(contract.at('lines'))
  return { contract: readContract(contract), after }
}

type ReadContract = { id: string } & (LinesPage | { reason: string })

/** A contract, or the reason why it cannot be read. Its id must be readable. */
function readOrReason(node: Fields): ReadContract {
  return { id: node.id('id'), ...valueOrReason(() => readLinesPage(node)) }
}

function valueOrReason<T>(read: () => T): T | { reason: string } {
  try {
    return read()
  } catch (err) {
    if (!(err instanceof MalformedPayload)) throw err
    return { reason: err.message }
  }
}

/** Reads contracts with more lines than fit into a batch again, one by one; leaves out those that are gone by then. */
async function withAllLines(client: PlatformClient, reads: ReadContract[]): Promise<PlatformResult<Sorted>> {
  const sorted: Sorted = { contracts: [], unreadable: new Map() }
  for (const read of reads) {
    if ('reason' in read) {
      sorted.unreadable.set(read.id, read.reason)
      continue
    }
    const complete = read.after ? await findAllLines(client, read.id) : succeeded(read.contract)
    if (complete.ok) sorted.contracts.push(...(complete.value ? [complete.value] : []))
    else if (complete.failure.code === UNREADABLE_RESPONSE) sorted.unreadable.set(read.id, complete.failure.message)
    else return complete
  }
  return withDiscounts(client, sorted)
}

async function withDiscounts(client: PlatformClient, sorted: Sorted): Promise<PlatformResult<Sorted>> {
  const priced = await withMemberPrices(client, sorted)
  return priced.ok ? withDeliveryPrices(client, priced.value) : priced
}

/** As many lines as LineAllocations reads of a contract. */
const LINES_TOGETHER = 5

/** Adds what our discounts for members take off again, for the contracts of which a line is reduced. */
async function withMemberPrices(
  client: PlatformClient,
  { contracts, unreadable }: Sorted
): Promise<PlatformResult<Sorted>> {
  const reduced = contracts.filter(({ lines }) =>
    lines.some(({ priceMinor, quantity, discountedMinor }) => discountedMinor < priceMinor * quantity)
  )
  if (reduced.length === 0) return succeeded({ contracts, unreadable })
  const idsOf = (some: PlatformContract[]) => some.map(({ id }) => id)
  const [few, many] = [true, false].map((isFew) =>
    idsOf(reduced.filter(({ lines }) => lines.length <= LINES_TOGETHER === isFew))
  ) as [string[], string[]]
  const found = await findByIds(client, 'SubscriptionContract', LineAllocations, few, (contract) => ({
    id: contract.id('id'),
    ...valueOrReason(() => ({ lines: readAllocatedLines(contract) }))
  }))
  if (!found.ok) return found
  for (const id of many) {
    const lines = await findAllocations(client, id)
    if (!lines.ok) return lines
    found.value.set(id, { id, lines: lines.value })
  }
  const sorted: Sorted = { contracts: [], unreadable: new Map(unreadable) }
  for (const contract of contracts) {
    const read = found.value.get(contract.id)
    if (read && 'reason' in read) sorted.unreadable.set(contract.id, read.reason)
    else {
      const allocated = new Map((read?.lines ?? []).map((line) => [line.id, line]))
      sorted.contracts.push(read ? { ...contract, ...memberPrices(contract.lines, allocated) } : contract)
    }
  }
  return succeeded(sorted)
}

const readAllocatedLines = (contract: Fields): AllocatedLine[] => {
  const currency = contract.text('currencyCode')
  return contract
    .at('lines')
    .list('nodes')
    .map((line) => readAllocatedLine(line, currency))
}

async function findAllocations(client: PlatformClient, id: string): Promise<PlatformResult<AllocatedLine[]>> {
  const all: AllocatedLine[] = []
  let after: string | null = null
  do {
    const page: PlatformResult<{ lines: AllocatedLine[]; after: string | null }> = await client.query(
      LineAllocationsOfOne,
      { id: client.gid('SubscriptionContract', id), after },
      (data) => {
        const contract = data.maybeAt('subscriptionContract')
        if (!contract) return { lines: [], after: null }
        return { lines: readAllocatedLines(contract), after: nextCursor(contract.at('lines')) }
      }
    )
    if (!page.ok) return page
    all.push(...page.value.lines)
    after = page.value.after
  } while (after)
  return succeeded(all)
}

/** Takes the discounts off the delivery prices, for the contracts that pay for delivery. */
async function withDeliveryPrices(
  client: PlatformClient,
  { contracts, unreadable }: Sorted
): Promise<PlatformResult<Sorted>> {
  const ids = contracts.flatMap(({ id, deliveryPriceMinor }) => (deliveryPriceMinor > 0 ? id : []))
  if (ids.length === 0) return succeeded({ contracts, unreadable })
  const found = await findByIds(client, 'SubscriptionContract', DeliveryDiscounts, ids, (contract) => ({
    id: contract.id('id'),
    ...valueOrReason(() => ({ discounts: readDiscounts(contract.at('discounts'), contract.text('currencyCode')) }))
  }))
  if (!found.ok) return found
  const sorted: Sorted = { contracts: [], unreadable: new Map(unreadable) }
  for (const contract of contracts) {
    const delivery = found.value.get(contract.id) ?? { discounts: [] }
    if ('reason' in delivery) sorted.unreadable.set(contract.id, delivery.reason)
    else {
      const { priceMinor, grantedMinor } = discountedDelivery(contract.deliveryPriceMinor, delivery.discounts)
      const grantedDiscountMinor = contract.grantedDiscountMinor + grantedMinor
      sorted.contracts.push({ ...contract, deliveryPriceMinor: priceMinor, grantedDiscountMinor })
    }
  }
  return succeeded(sorted)
}
