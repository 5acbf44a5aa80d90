import { mapConcurrently } from '#kit/map-concurrently'
import type { Plan } from '#plans'
import type { PricingContext } from '#plans/pricing'
import {
  type Connector,
  isAboutRequest,
  memberDiscountChanges,
  type PlatformContract,
  type PlatformFailure,
  type PlatformResult,
  type ProductFacts,
  succeeded
} from '#platform'
import type { ClaimedContract } from './contract-discount-queries.ts'
import { memberDiscountsOf, needsCollections, whyNotDiscounted } from './wanted-contract-discounts.ts'

/** What a comparison came to. `problem`: why the contract cannot have what is wanted; a repetition does not help. */
export type Compared =
  | { outcome: 'same' | 'changed'; isOn: boolean; problem: string | null }
  /** The contract has ended on the platform. */
  | { outcome: 'ended' }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'failed'; reason: string }
  /** Nothing more may begin in the store. */
  | { outcome: 'left' }

export type ComparisonPlans = { plans: PricingContext['plans']; allPlans: Plan[] }
type Deps = ComparisonPlans & { connector: Connector; isEnding: () => boolean }

const EDITS_AT_ONCE = 4
/** The platform does not change a contract with one of these. */
const ENDED = new Set(['cancelled', 'expired'])

/** Compares contracts with the discounts of ours that they are to have, and corrects them. One that fails does not fail the others. */
export async function compareContracts(deps: Deps, claimed: ClaimedContract[]): Promise<Compared[]> {
  const { connector } = deps
  const read = await connector.contracts.findReadable(claimed.map(({ contractId }) => contractId))
  if (!read.ok) return claimed.map(() => failureOf(read.failure))
  const { contracts, unreadable } = read.value
  const products = await findProducts(deps, claimed, contracts)
  if (!products.ok) return claimed.map(() => failureOf(products.failure))
  return mapConcurrently(claimed, EDITS_AT_ONCE, async (one): Promise<Compared> => {
    const reason = unreadable.get(one.contractId)
    if (reason !== undefined) return { outcome: 'failed', reason }
    const contract = contracts.get(one.contractId)
    if (!contract) return { outcome: 'failed', reason: `The platform has no contract ${one.contractId}` }
    return ENDED.has(contract.status) ? { outcome: 'ended' } : compare(deps, one, contract, products.value)
  })
}

/** What is to be known of the products in contracts of somebody who is a member. */
async function findProducts(
  { connector, plans }: Deps,
  claimed: ClaimedContract[],
  contracts: ReadonlyMap<string, PlatformContract>
): Promise<PlatformResult<Map<string, ProductFacts>>> {
  const ofMembers = claimed.filter(({ tier }) => tier !== null)
  const ids = new Set(
    ofMembers.flatMap(({ contractId }) =>
      (contracts.get(contractId)?.lines ?? []).flatMap((line) => line.productId ?? [])
    )
  )
  if (ids.size === 0) return succeeded(new Map())
  const withCollections = ofMembers.some(({ tier }) => needsCollections(plans, tier!))
  return connector.products.findFacts([...ids], { withCollections })
}

async function compare(
  { connector, isEnding, ...plans }: Deps,
  { contractId, tier, isOn }: ClaimedContract,
  contract: PlatformContract,
  products: ReadonlyMap<string, ProductFacts>
): Promise<Compared> {
  const problem = tier === null ? null : whyNotDiscounted(contract)
  const wanted =
    tier === null || problem !== null ? [] : memberDiscountsOf(contract.lines, { tier, ...plans }, products)
  const same: Compared = { outcome: 'same', isOn: wanted.length > 0, problem }
  // Most contracts of which none is wanted have none: their prices say so.
  if (wanted.length === 0 && !isOn && contract.memberDiscountMinor === 0) return same
  const found = await connector.contracts.findMemberDiscounts(contractId)
  if (!found.ok) return failureOf(found.failure)
  const { remove, add } = memberDiscountChanges(found.value ?? [], wanted)
  if (remove.length === 0 && add.length === 0) return same
  if (isEnding()) return { outcome: 'left' }
  const set = await connector.contracts.setMemberDiscounts(contractId, wanted)
  return set.ok ? { outcome: 'changed', isOn: wanted.length > 0, problem } : failureOf(set.failure)
}

function failureOf(failure: PlatformFailure): Extract<Compared, { reason: string }> {
  const { code, message } = failure
  // A contract that changed meanwhile is compared again.
  const isRefused = isAboutRequest(failure) && code !== 'stale_contract'
  return { outcome: isRefused ? 'refused' : 'failed', reason: message }
}
