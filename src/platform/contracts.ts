import { byIds } from './by-ids.ts'
import type { PlatformClient } from './client.ts'
import type { ContractMoved } from './connector.ts'
import {
  AllContracts,
  ContractById,
  ContractsByIds,
  ContractsUpdatedSince,
  DeliveryDiscounts
} from './contract-documents.ts'
import { discountedDelivery, readDiscounts } from './discounts.ts'
import type { AdminDocument } from './document.ts'
import { type Fields, MalformedPayload } from './fields.ts'
import { failed, NOT_UNDERSTOOD, type PlatformResult, succeeded } from './outcome.ts'
import { readListed, sinceQuery } from './pages.ts'
import { gid, type ProfileName } from './profiles.ts'
import { readContract, readMoved } from './read-answers.ts'
import type { Listed, PlatformContract } from './shapes.ts'

type Page = { contract: PlatformContract; after: string | null }

/** Why contracts that are there could not be understood, by id. */
export type Unreadable = Map<string, string>
type Some<T> = { items: T[]; unreadable: Unreadable }

/** One contract with all its lines, however many pages they take. */
export async function fetchContract(
  client: PlatformClient,
  profile: ProfileName,
  id: string
): Promise<PlatformResult<PlatformContract | null>> {
  const found = await fetchLines(client, profile, id)
  if (!found.ok || !found.value) return found
  const whole = await withDeliveryPrices(client, profile, { items: [found.value], unreadable: new Map() })
  if (!whole.ok) return whole
  return whole.value.unreadable.size > 0 ? notUnderstood(whole.value.unreadable) : succeeded(whole.value.items[0]!)
}

async function fetchLines(
  client: PlatformClient,
  profile: ProfileName,
  id: string
): Promise<PlatformResult<PlatformContract | null>> {
  let whole: PlatformContract | null = null
  let after: string | null = null
  do {
    const answer: PlatformResult<Page | null> = await client.query(
      ContractById,
      { id: gid(profile, 'SubscriptionContract', id), after },
      (data) => {
        const contract = data.maybeAt('subscriptionContract')
        return contract && readPage(contract)
      }
    )
    if (!answer.ok) return answer
    if (!answer.value) return succeeded(null)
    const { contract } = answer.value
    whole = whole
      ? { ...contract, lines: [...whole.lines, ...contract.lines], priceMinor: whole.priceMinor + contract.priceMinor }
      : contract
    after = answer.value.after
  } while (after)
  return succeeded(whole)
}

/** Contracts by id, each with all its lines, and those that are there and could not be understood. */
export type FoundContracts = { contracts: Map<string, PlatformContract>; unreadable: Unreadable }

/** Many contracts. One that cannot be understood holds up no other. */
export async function readContracts(
  client: PlatformClient,
  profile: ProfileName,
  ids: string[]
): Promise<PlatformResult<FoundContracts>> {
  const pages = await byIds(client, profile, 'SubscriptionContract', ContractsByIds, ids, readApart)
  if (!pages.ok) return pages
  const whole = await withAllLines(client, profile, [...pages.value.values()])
  if (!whole.ok) return whole
  const { items, unreadable } = whole.value
  return succeeded({ contracts: new Map(items.map((contract) => [contract.id, contract])), unreadable })
}

/** The same for who can do nothing without all of them. */
export async function fetchContracts(
  client: PlatformClient,
  profile: ProfileName,
  ids: string[]
): Promise<PlatformResult<Map<string, PlatformContract>>> {
  const found = await readContracts(client, profile, ids)
  if (!found.ok) return found
  return found.value.unreadable.size > 0 ? notUnderstood(found.value.unreadable) : succeeded(found.value.contracts)
}

function notUnderstood(unreadable: Unreadable) {
  const reasons = [...unreadable].map(([id, reason]) => `contract ${id}: ${reason}`).join('; ')
  const message = `The platform's answer cannot be understood: ${reasons}`
  return failed({ kind: 'unavailable', message, code: NOT_UNDERSTOOD })
}

/** A page of contracts, with those on it that could not be understood. */
export type ListedContracts = Listed<PlatformContract> & { unreadable: Unreadable }

/**
 * A page of the contracts that changed at `since` or later, those that changed longest ago first; of all of them, in order of
 * id, when that is null. `after` is where the page before ended.
 */
export async function listContracts(
  client: PlatformClient,
  profile: ProfileName,
  since: Temporal.Instant | null,
  after: string | null
): Promise<PlatformResult<ListedContracts>> {
  const read = (data: Fields) => readListed(data.at('subscriptionContracts'), readApart)
  const page =
    since === null
      ? await client.query(AllContracts, { after }, read)
      : await client.query(ContractsUpdatedSince, { query: sinceQuery('updated_at', since), after }, read)
  if (!page.ok) return page
  const whole = await withAllLines(client, profile, page.value.items)
  return whole.ok ? succeeded({ ...whole.value, after: page.value.after }) : whole
}

type Read = { id: string } & (Page | { reason: string })

/** What can be understood of a contract must be its id. */
function readApart(node: Fields): Read {
  const id = node.id('id')
  return { id, ...understood(() => readPage(node)) }
}

function understood<T>(read: () => T): T | { reason: string } {
  try {
    return read()
  } catch (err) {
    if (!(err instanceof MalformedPayload)) throw err
    return { reason: err.message }
  }
}

/** Contracts with more lines than a batch reads are read again, each alone; one that is gone by then is left out. */
async function withAllLines(
  client: PlatformClient,
  profile: ProfileName,
  reads: Read[]
): Promise<PlatformResult<Some<PlatformContract>>> {
  const some: Some<PlatformContract> = { items: [], unreadable: new Map() }
  for (const read of reads) {
    if ('reason' in read) {
      some.unreadable.set(read.id, read.reason)
      continue
    }
    const whole = read.after ? await fetchLines(client, profile, read.id) : succeeded(read.contract)
    if (whole.ok) some.items.push(...(whole.value ? [whole.value] : []))
    else if (whole.failure.code === NOT_UNDERSTOOD) some.unreadable.set(read.id, whole.failure.message)
    else return whole
  }
  return withDeliveryPrices(client, profile, some)
}

/** With what is taken off delivery, where there is something to take it off. */
async function withDeliveryPrices(
  client: PlatformClient,
  profile: ProfileName,
  { items, unreadable }: Some<PlatformContract>
): Promise<PlatformResult<Some<PlatformContract>>> {
  const ids = items.flatMap(({ id, deliveryPriceMinor }) => (deliveryPriceMinor > 0 ? id : []))
  if (ids.length === 0) return succeeded({ items, unreadable })
  const found = await byIds(client, profile, 'SubscriptionContract', DeliveryDiscounts, ids, (contract) => ({
    id: contract.id('id'),
    ...understood(() => ({ discounts: readDiscounts(contract.at('discounts'), contract.text('currencyCode')) }))
  }))
  if (!found.ok) return found
  const some: Some<PlatformContract> = { items: [], unreadable: new Map(unreadable) }
  for (const contract of items) {
    const told = found.value.get(contract.id) ?? { discounts: [] }
    if ('reason' in told) some.unreadable.set(contract.id, told.reason)
    else {
      const deliveryPriceMinor = discountedDelivery(contract.deliveryPriceMinor, told.discounts)
      some.items.push({ ...contract, deliveryPriceMinor })
    }
  }
  return succeeded(some)
}

function readPage(contract: Fields): Page {
  const pageInfo = contract.at('lines').at('pageInfo')
  return { contract: readContract(contract), after: pageInfo.flag('hasNextPage') ? pageInfo.text('endCursor') : null }
}

/** Pause, activate, cancel, fail and the next date: all take the contract's id and answer with where it stands now. */
export function moveContract(
  client: PlatformClient,
  profile: ProfileName,
  document: AdminDocument,
  id: string,
  more: Record<string, string> = {}
): Promise<PlatformResult<ContractMoved>> {
  return client.mutate(document, { id: gid(profile, 'SubscriptionContract', id), ...more }, readMoved)
}
