import { decimalOf } from '#kit/money'
import type { PlatformClient } from './client.ts'
import type { ContractMoved } from './connector.ts'
import { ContractDraft, DraftCommit, DraftLineUpdate, DraftUpdate } from './contract-documents.ts'
import { discountedDelivery, readDiscounts } from './discounts.ts'
import type { Fields } from './fields.ts'
import { failed, type PlatformResult, succeeded } from './outcome.ts'
import { gid, type ProfileName } from './profiles.ts'
import { lastingPrice, money, readMoved } from './read-answers.ts'
import type { Interval } from './shapes.ts'

/** What is to be different in a line; what is null stays. */
export type LineEdit = {
  id: string
  /** The price of one from now on; what a selling plan announced of later prices is given up. */
  priceMinor: number | null
  /** What is sold, and under which plan. */
  sold: { variantId: string; sellingPlanId: string; sellingPlanName: string } | null
}

/** What is to be different in a contract; what is null stays. */
export type ContractEdit = {
  contractId: string
  currency: string
  lines: LineEdit[]
  /**
   * What a cycle is to cost in all, with every line, discount and delivery. It is reached by the price of one line;
   * `nearMinor` is where the search for that begins.
   */
  total: { lineId: string; minor: number; nearMinor: number } | null
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
  { contractId, currency, lines, total, policy, paymentMethodGid }: ContractEdit
): Promise<PlatformResult<ContractMoved>> {
  const opened = await client.mutate(
    ContractDraft,
    { id: gid(profile, 'SubscriptionContract', contractId) },
    (payload) => payload.at('draft').text('id')
  )
  if (!opened.ok) return opened
  const draftId = opened.value
  const editLine: LineEditor = ({ id, priceMinor, sold }) => {
    const price = priceMinor === null ? null : decimalOf(priceMinor, currency)
    const input = {
      ...(price !== null && { currentPrice: price, pricingPolicy: { basePrice: price, cycleDiscounts: [] } }),
      ...(sold && {
        productVariantId: gid(profile, 'ProductVariant', sold.variantId),
        sellingPlanId: gid(profile, 'SellingPlan', sold.sellingPlanId),
        sellingPlanName: sold.sellingPlanName
      })
    }
    const lineId = gid(profile, 'SubscriptionLine', id)
    return client.mutate(DraftLineUpdate, { draftId, lineId, input }, (payload) =>
      readDraft(payload.at('draft'), currency)
    )
  }

  for (const line of lines) {
    const done = await editLine(line)
    if (!done.ok) return done
  }
  if (total) {
    const reached = await reachTotal(editLine, total)
    if (!reached.ok) return reached
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
    const done = await client.mutate(DraftUpdate, { draftId, input }, () => null)
    if (!done.ok) return done
  }
  const committed = await client.mutate(DraftCommit, { draftId }, readMoved)
  return committed.ok ? succeeded(committed.value) : committed
}

/** A draft as it stands: what a cycle of it costs, and what keeps a price from being set by it. */
type Draft = { totalMinor: number; hasEndingDiscount: boolean; hasMore: boolean }
type LineEditor = (edit: LineEdit) => Promise<PlatformResult<Draft>>

function readDraft(draft: Fields, currency: string): Draft {
  const lines = draft.at('lines')
  const discounts = readDiscounts(draft.at('discounts'), currency)
  const delivery = draft.maybeAt('deliveryPrice')
  return {
    totalMinor:
      lines.list('nodes').reduce((sum, line) => sum + lastingPrice(line, currency), 0) +
      discountedDelivery(delivery ? money(delivery, currency) : 0, discounts),
    hasEndingDiscount: discounts.some(({ target, ends }) => target === 'line_item' && ends),
    hasMore: lines.at('pageInfo').flag('hasNextPage')
  }
}

/** A percentage needs two looks to be known and one to be used; one more where it was rounded. */
const MOST_PRICES = 5

/**
 * Finds the price of a line with which the contract comes to a total: the draft is asked what it comes to, since only the
 * platform knows how its discounts share out. A discount that ends would leave another price behind than was meant.
 */
async function reachTotal(editLine: LineEditor, { lineId, minor, nearMinor }: NonNullable<ContractEdit['total']>) {
  const refused = (message: string) => failed({ kind: 'rejected', code: 'price_out_of_reach', message })
  let before: { price: number; total: number } | null = null
  let price = nearMinor
  for (let tries = 0; tries < MOST_PRICES && price >= 0; tries++) {
    const draft: PlatformResult<Draft> = await editLine({ id: lineId, priceMinor: price, sold: null })
    if (!draft.ok) return draft
    const { totalMinor: total, hasEndingDiscount, hasMore } = draft.value
    if (hasMore) return refused('The contract has more than 50 lines: its price cannot be set')
    if (hasEndingDiscount) return refused('The contract has a discount that ends: its price cannot be set until then')
    if (total === minor) return succeeded(null)
    // A step of one tells what the price of one is worth, which the quantity makes more and a discount less.
    const slope: number = before ? (total - before.total) / (price - before.price) : 1
    before = { price, total }
    const step: number = slope > 0 ? Math.round((minor - total) / slope) : 0
    if (step === 0) break
    price += step
  }
  return refused('The price cannot be reached by the price of one line of the contract')
}
