import { decimalOf } from '#kit/money'
import type { PlatformClient } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import type { Interval } from '../wire/interval.ts'
import { failed, type PlatformResult, succeeded } from '../wire/outcome.ts'
import { type ChangedContract, readChangedContract, readLine } from './contract.ts'
import { discountedDelivery, readDiscounts } from './discounts.ts'
import { ContractDraft, DraftCommit, DraftLineUpdate, DraftUpdate } from './documents.ts'
import { memberPrices, readAllocatedLine } from './member-discounts.ts'

/** The changes to a line; null leaves a value as it is. */
export type LineEdit = {
  id: string
  /** The price of one from now on; it replaces later prices that a selling plan announced. */
  priceMinor: number | null
  /** The variant and its plan. */
  sold: { variantId: string; sellingPlanId: string; sellingPlanName: string } | null
}

/** The changes to a contract; null leaves a value as it is. */
export type ContractEdit = {
  contractId: string
  currency: string
  lines: LineEdit[]
  /**
   * The new price of a cycle in all, with every line, discount and delivery, and without our discounts for members and of grants. It is reached
   * by the price of one line; `nearMinor` is the first price to try.
   */
  total: { lineId: string; minor: number; nearMinor: number } | null
  policy: { interval: Interval; intervalCount: number; minCycles: number | null; maxCycles: number | null } | null
  /** The whole global id: its last part is not a number. */
  paymentMethodGid: string | null
}

/**
 * Edits a contract the way the platform requires: creates a draft of it, changes the draft and commits it. Nothing happens
 * before the commit, so a failed edit may be repeated. A rejection with the code `stale_contract` means that the contract
 * changed meanwhile.
 */
export async function editContract(
  client: PlatformClient,
  { contractId, currency, lines, total, policy, paymentMethodGid }: ContractEdit
): Promise<PlatformResult<ChangedContract>> {
  const opened = await client.mutate(ContractDraft, { id: client.gid('SubscriptionContract', contractId) }, (payload) =>
    payload.at('draft').text('id')
  )
  if (!opened.ok) return opened
  const draftId = opened.value
  const editLine: LineEditor = ({ id, priceMinor, sold }) => {
    const price = priceMinor === null ? null : decimalOf(priceMinor, currency)
    const input = {
      ...(price !== null && { currentPrice: price, pricingPolicy: { basePrice: price, cycleDiscounts: [] } }),
      ...(sold && {
        productVariantId: client.gid('ProductVariant', sold.variantId),
        sellingPlanId: client.gid('SellingPlan', sold.sellingPlanId),
        sellingPlanName: sold.sellingPlanName
      })
    }
    const lineId = client.gid('SubscriptionLine', id)
    return client.mutate(DraftLineUpdate, { draftId, lineId, input }, (payload) =>
      readDraft(payload.at('draft'), currency)
    )
  }

  for (const line of lines) {
    const edited = await editLine(line)
    if (!edited.ok) return edited
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
    const updated = await client.mutate(DraftUpdate, { draftId, input }, () => null)
    if (!updated.ok) return updated
  }
  return client.mutate(DraftCommit, { draftId }, readChangedContract)
}

/** The present state of a draft: the price of a cycle, and what prevents us from setting that price. */
type Draft = { totalMinor: number; hasEndingDiscount: boolean; hasMore: boolean }
type LineEditor = (edit: LineEdit) => Promise<PlatformResult<Draft>>

function readDraft(draft: Fields, currency: string): Draft {
  const lines = draft.at('lines')
  const discounts = readDiscounts(draft.at('discounts'), currency)
  const allocated = lines.list('nodes').map((line) => readAllocatedLine(line, currency))
  const { priceMinor } = memberPrices(
    lines.list('nodes').map((line) => readLine(line, currency)),
    new Map(allocated.map((line) => [line.id, line]))
  )
  const deliveryMinor = draft.has('deliveryPrice') ? draft.money('deliveryPrice', currency) : 0
  return {
    totalMinor: priceMinor + discountedDelivery(deliveryMinor, discounts).priceMinor,
    hasEndingDiscount: discounts.some(({ target, ends, isGranted }) => target === 'line_item' && ends && !isGranted),
    hasMore: lines.at('pageInfo').flag('hasNextPage')
  }
}

/** A percentage takes two tries to measure and one to apply; one more where it was rounded. */
const MAX_PRICES = 5

/**
 * Finds the price of a line at which the contract has the wanted total, by asking the draft for its total: only the platform
 * knows how its discounts are allocated. A discount that ends would leave another price than the wanted one.
 */
async function reachTotal(editLine: LineEditor, { lineId, minor, nearMinor }: NonNullable<ContractEdit['total']>) {
  const refused = (message: string) => failed({ kind: 'rejected', code: 'price_out_of_reach', message })
  let before: { price: number; total: number } | null = null
  let price = nearMinor
  for (let tries = 0; tries < MAX_PRICES && price >= 0; tries++) {
    const draft: PlatformResult<Draft> = await editLine({ id: lineId, priceMinor: price, sold: null })
    if (!draft.ok) return draft
    const { totalMinor: total, hasEndingDiscount, hasMore } = draft.value
    if (hasMore) return refused('The contract has more than 50 lines: its price cannot be set')
    if (hasEndingDiscount) return refused('The contract has a discount that ends: its price cannot be set until then')
    if (total === minor) return succeeded(null)
    // The change of the total per change of the price: more with the quantity, less with a discount.
    const slope: number = before ? (total - before.total) / (price - before.price) : 1
    before = { price, total }
    const step: number = slope > 0 ? Math.round((minor - total) / slope) : 0
    if (step === 0) break
    price += step
  }
  return refused('The price cannot be reached by the price of one line of the contract')
}
