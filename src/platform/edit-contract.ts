import { decimalOf } from '#kit/money'
import type { PlatformClient } from './client.ts'
import type { ContractMoved } from './connector.ts'
import { ContractDraft, DraftCommit, DraftLineUpdate, DraftUpdate } from './documents.ts'
import { type PlatformResult, succeeded } from './outcome.ts'
import { gid, type ProfileName } from './profiles.ts'
import { readMoved } from './read-answers.ts'
import type { Interval } from './shapes.ts'

/** What is to be different in a contract; what is null stays. */
export type ContractEdit = {
  contractId: string
  currency: string
  line: {
    id: string
    /** The price of one from now on; what a selling plan announced of later prices is given up. */
    priceMinor: number | null
    /** What is sold, and under which plan. */
    sold: { variantId: string; sellingPlanId: string; sellingPlanName: string } | null
  } | null
  policy: { interval: Interval; intervalCount: number; minCycles: number | null; maxCycles: number | null } | null
  /** The whole global id: its last part is not a number. */
  paymentMethodGid: string | null
}

/**
 * Edits a contract as the platform wants it: a draft of it is made, changed and committed. Before the commit nothing has
 * happened, so it may be repeated. `stale_contract` as the code of a rejection: the contract changed meanwhile.
 */
export async function editContract(
  client: PlatformClient,
  profile: ProfileName,
  { contractId, currency, line, policy, paymentMethodGid }: ContractEdit
): Promise<PlatformResult<ContractMoved>> {
  const opened = await client.mutate(
    ContractDraft,
    { id: gid(profile, 'SubscriptionContract', contractId) },
    (payload) => payload.at('draft').text('id')
  )
  if (!opened.ok) return opened
  const draftId = opened.value

  const steps: (() => Promise<PlatformResult<null>>)[] = []
  if (line) {
    const price = line.priceMinor === null ? null : decimalOf(line.priceMinor, currency)
    const input = {
      ...(price !== null && { currentPrice: price, pricingPolicy: { basePrice: price, cycleDiscounts: [] } }),
      ...(line.sold && {
        productVariantId: gid(profile, 'ProductVariant', line.sold.variantId),
        sellingPlanId: gid(profile, 'SellingPlan', line.sold.sellingPlanId),
        sellingPlanName: line.sold.sellingPlanName
      })
    }
    const lineId = gid(profile, 'SubscriptionLine', line.id)
    steps.push(() => client.mutate(DraftLineUpdate, { draftId, lineId, input }, () => null))
  }
  if (policy || paymentMethodGid) {
    const interval = policy && { interval: policy.interval.toUpperCase(), intervalCount: policy.intervalCount }
    const input = {
      ...(policy && {
        billingPolicy: { ...interval, minCycles: policy.minCycles, maxCycles: policy.maxCycles },
        deliveryPolicy: interval
      }),
      ...(paymentMethodGid && { paymentMethodId: paymentMethodGid })
    }
    steps.push(() => client.mutate(DraftUpdate, { draftId, input }, () => null))
  }
  for (const step of steps) {
    const done = await step()
    if (!done.ok) return done
  }
  const committed = await client.mutate(DraftCommit, { draftId }, readMoved)
  return committed.ok ? succeeded(committed.value) : committed
}
