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
import type { Fields } from './fields.ts'
import { type PlatformResult, succeeded } from './outcome.ts'
import { readListed, sinceQuery } from './pages.ts'
import { gid, type ProfileName } from './profiles.ts'
import { readContract, readMoved } from './read-answers.ts'
import type { Listed, PlatformContract } from './shapes.ts'

type Page = { contract: PlatformContract; after: string | null }

/** One contract with all its lines, however many pages they take. */
export async function fetchContract(
  client: PlatformClient,
  profile: ProfileName,
  id: string
): Promise<PlatformResult<PlatformContract | null>> {
  const found = await fetchLines(client, profile, id)
  if (!found.ok || !found.value) return found
  const whole = await withDeliveryPrices(client, profile, [found.value])
  return whole.ok ? succeeded(whole.value[0]!) : whole
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

/** Many contracts, each with all its lines. */
export async function fetchContracts(
  client: PlatformClient,
  profile: ProfileName,
  ids: string[]
): Promise<PlatformResult<Map<string, PlatformContract>>> {
  const pages = await byIds(client, profile, 'SubscriptionContract', ContractsByIds, ids, (node) => {
    const page = readPage(node)
    return { id: page.contract.id, ...page }
  })
  if (!pages.ok) return pages
  const whole = await withAllLines(client, profile, [...pages.value.values()])
  return whole.ok ? succeeded(new Map(whole.value.map((contract) => [contract.id, contract]))) : whole
}

/**
 * A page of the contracts that changed at `since` or later, those that changed longest ago first; of all of them, in order of
 * id, when that is null. `after` is where the page before ended.
 */
export async function listContracts(
  client: PlatformClient,
  profile: ProfileName,
  since: Temporal.Instant | null,
  after: string | null
): Promise<PlatformResult<Listed<PlatformContract>>> {
  const read = (data: Fields) => readListed(data.at('subscriptionContracts'), readPage)
  const page =
    since === null
      ? await client.query(AllContracts, { after }, read)
      : await client.query(ContractsUpdatedSince, { query: sinceQuery('updated_at', since), after }, read)
  if (!page.ok) return page
  const whole = await withAllLines(client, profile, page.value.items)
  return whole.ok ? succeeded({ items: whole.value, after: page.value.after }) : whole
}

/** Contracts with more lines than a batch reads are read again, each alone; one that is gone by then is left out. */
async function withAllLines(
  client: PlatformClient,
  profile: ProfileName,
  pages: Page[]
): Promise<PlatformResult<PlatformContract[]>> {
  const contracts: PlatformContract[] = []
  for (const { contract, after } of pages) {
    const whole = after ? await fetchLines(client, profile, contract.id) : succeeded(contract)
    if (!whole.ok) return whole
    if (whole.value) contracts.push(whole.value)
  }
  return withDeliveryPrices(client, profile, contracts)
}

/** With what is taken off delivery, where there is something to take it off. */
async function withDeliveryPrices(
  client: PlatformClient,
  profile: ProfileName,
  contracts: PlatformContract[]
): Promise<PlatformResult<PlatformContract[]>> {
  const ids = contracts.flatMap(({ id, deliveryPriceMinor }) => (deliveryPriceMinor > 0 ? id : []))
  if (ids.length === 0) return succeeded(contracts)
  const found = await byIds(client, profile, 'SubscriptionContract', DeliveryDiscounts, ids, (contract) => ({
    id: contract.id('id'),
    discounts: readDiscounts(contract.at('discounts'), contract.text('currencyCode'))
  }))
  if (!found.ok) return found
  return succeeded(
    contracts.map((contract) => {
      const discounts = found.value.get(contract.id)?.discounts ?? []
      return { ...contract, deliveryPriceMinor: discountedDelivery(contract.deliveryPriceMinor, discounts) }
    })
  )
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
