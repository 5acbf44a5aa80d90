import { byIds } from './by-ids.ts'
import type { PlatformClient } from './client.ts'
import type { ContractMoved } from './connector.ts'
import { type AdminDocument, ContractById, ContractsByIds } from './documents.ts'
import type { Fields } from './fields.ts'
import { type PlatformResult, succeeded } from './outcome.ts'
import { gid, type ProfileName } from './profiles.ts'
import { readContract, readMoved } from './read-answers.ts'
import type { PlatformContract } from './shapes.ts'

type Page = { contract: PlatformContract; after: string | null }

/** One contract with all its lines, however many pages they take. */
export async function fetchContract(
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

/** Many contracts; those with more lines than the batch reads are read again, each alone. */
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
  const contracts = new Map<string, PlatformContract>()
  for (const { id, contract, after } of pages.value.values()) {
    if (!after) {
      contracts.set(id, contract)
      continue
    }
    const whole = await fetchContract(client, profile, id)
    if (!whole.ok) return whole
    if (whole.value) contracts.set(id, whole.value)
  }
  return succeeded(contracts)
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
