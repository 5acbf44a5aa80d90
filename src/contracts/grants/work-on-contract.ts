import {
  type Connector,
  type FoundContractGrant,
  isAboutRequest,
  type NewContractGrant,
  type PlatformFailure,
  type PlatformResult,
  succeeded
} from '#platform'
import { cyclesLeft, type Grant } from './grant.ts'

/** What a look at the platform found of a grant, or did with it. */
export type GrantOutcome = {
  grant: Grant
  /** `on`: its contract has it. `off`: it has it no more. `removed`: somebody else has taken it off. `refused`: it is not given. */
  step: 'on' | 'off' | 'removed' | 'refused'
  /** How often the present contract had it; null: nobody knows. */
  used: number | null
  platformId: string | null
  problem: string | null
}

/**
 * `isOver`: the contract has ended. `failure`: what stopped the look; the outcomes before it count. `isLeft`: it was left before it changed anything,
 * since the work of the store was being ended.
 */
export type ContractOutcome = {
  isOver: boolean
  grants: GrantOutcome[]
  isChanged: boolean
  failure: PlatformFailure | null
  isLeft: boolean
}

/** The platform does not change a contract with one of these. */
const ENDED = new Set(['cancelled', 'expired'])

const isLive = ({ status }: Grant) => status !== 'ended'

type Calls = { connector: Connector; currency: string; isEnding: () => boolean }

/**
 * Brings what a contract has of grants to what it is to have: looks, takes off what has ended or is none of ours, and adds what is missing, each in a
 * draft of its own, so that one that the platform refuses stops no other. A contract that has ended is only looked at, and one that has failed has none
 * any more. Writes nothing here.
 */
export async function workOnContract(
  calls: Calls,
  { contractId, isOver, hasFailed }: { contractId: string; isOver: boolean; hasFailed: boolean },
  grants: Grant[]
): Promise<ContractOutcome> {
  const { contracts } = calls.connector
  const nothing: ContractOutcome = { isOver: false, grants: [], isChanged: false, failure: null, isLeft: false }
  const looked = await contracts.findGrants(contractId)
  if (!looked.ok) return { ...nothing, failure: looked.failure }
  if (looked.value === null) {
    return { ...nothing, failure: { kind: 'rejected', message: `The platform has no contract ${contractId}` } }
  }
  const found = Map.groupBy(looked.value.grants, ({ key }) => key)
  const { kept, gone, missing } = compare(grants, found)
  if (isOver || ENDED.has(looked.value.status)) {
    return { ...nothing, isOver: true, grants: [...kept, ...gone.filter(({ step }) => step === 'off')] }
  }
  // What has ended goes, and so does what nobody here knows, as after a restored backup.
  const keys = new Set(hasFailed ? [] : kept.map(({ grant }) => grant.key))
  const over = [...found.keys()].filter((key) => !keys.has(key))
  const before = { ...nothing, grants: kept }
  // Nothing is changed any more where the work of the store is being ended.
  if (over.length + missing.length > 0 && calls.isEnding()) return { ...before, isLeft: true }
  if (over.length > 0) {
    const removed = await contracts.removeGrants(contractId, over)
    if (!removed.ok) return { ...before, failure: removed.failure }
  }
  if (hasFailed) return { ...before, isOver: true, grants: [...kept, ...gone], isChanged: over.length > 0 }
  return addMissing(calls, contractId, missing, { ...before, grants: [...kept, ...gone], isChanged: over.length > 0 })
}

/** What of the grants is on their contract and stays, what is not or is to go, and what is to be added. */
function compare(grants: Grant[], found: ReadonlyMap<string, FoundContractGrant[]>) {
  const [kept, gone, missing]: [GrantOutcome[], GrantOutcome[], Grant[]] = [[], [], []]
  for (const grant of grants) {
    const present = found.get(grant.key)?.[0]
    const used = present ? usesOf(present, grant) : null
    const outcome = { grant, used, platformId: present?.gid ?? null, problem: null }
    if (!isLive(grant)) gone.push({ ...outcome, step: 'off' })
    else if (!present && grant.isOn) gone.push({ ...outcome, step: 'removed' })
    else if (!present) missing.push(grant)
    else if (cyclesLeft(grant, grant.usedBefore + used!) === 0) gone.push({ ...outcome, step: 'off' })
    else kept.push({ ...outcome, step: 'on' })
  }
  return { kept, gone, missing }
}

async function addMissing(
  { connector, currency }: Calls,
  contractId: string,
  missing: Grant[],
  before: ContractOutcome
): Promise<ContractOutcome> {
  const outcome = { ...before, grants: [...before.grants] }
  for (const grant of missing) {
    const added = await addGrantTo(connector, currency, contractId, grant)
    if (added.ok) {
      const { gid: platformId, uses } = added.value
      outcome.isChanged = true
      outcome.grants.push({ grant, step: 'on', used: uses ?? 0, platformId, problem: null })
      continue
    }
    // What we may not do at all says nothing of this grant.
    if (added.failure.kind !== 'rejected' || !isRefused(added.failure)) return { ...outcome, failure: added.failure }
    const problem = added.failure.message
    outcome.grants.push({ grant, step: 'refused', used: null, platformId: null, problem })
  }
  return outcome
}

/** A free product is counted by orders. */
const usesOf = ({ uses }: FoundContractGrant, { orderedTimes }: Grant): number => uses ?? orderedTimes

/** A contract that changed meanwhile is looked at again. */
export const isRefused = (failure: PlatformFailure): boolean =>
  isAboutRequest(failure) && failure.code !== 'stale_contract'

/** Gives a contract a grant, unless it has it already. */
export async function addGrantTo(
  connector: Connector,
  currency: string,
  contractId: string,
  grant: Grant
): Promise<PlatformResult<FoundContractGrant>> {
  const gives = await givenBy(connector, currency, grant)
  if (!gives.ok) return gives
  return connector.contracts.addGrant(contractId, { key: grant.key, label: grant.label, gives: gives.value })
}

async function givenBy(
  connector: Connector,
  currency: string,
  { kind, productId, percent, amountMinor, isOfEachItem, usedCycles, cycles }: Grant
): Promise<PlatformResult<NewContractGrant['gives']>> {
  const orders = cyclesLeft({ cycles }, usedCycles)
  if (kind === 'free_shipping') return succeeded({ kind, orders })
  if (productId === null) {
    const common = { kind: 'discount', orders } as const
    return succeeded(
      percent === null ? { ...common, amountMinor: amountMinor!, currency, isOfEachItem } : { ...common, percent }
    )
  }
  const variants = await connector.products.findFirstVariants([productId])
  if (!variants.ok) return variants
  const variantId = variants.value.get(productId)
  if (variantId !== undefined) return succeeded({ kind: 'free_product', variantId })
  return { ok: false, failure: { kind: 'rejected', message: `The shop has no product ${productId}` } }
}
