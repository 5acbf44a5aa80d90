import type { Subscription } from './subscription.ts'

type RequestedPrice = { priceMinor: number | null; linePriceMinor: number | null }

/**
 * The prices that a requested price may replace, in minor units: what the subscription had when it was requested, and what the requests
 * before it may have made of it meanwhile. By the price of one of what the plan sells, where that is known; else by that of a cycle.
 */
export type ReplacedPrices = {
  unitPrices: number[]
  prices: number[]
  /** The request that they belong to. Code of an earlier version replaces a request and leaves them. */
  of: RequestedPrice
}

/**
 * What a price that is requested now replaces; `waiting` is the request that it takes the place of. What that one replaces is replaced
 * too: the platform may have made any of the requests before, whose answer was lost.
 */
export function pricesReplacedBy(
  requested: RequestedPrice,
  s: Pick<Subscription, 'priceMinor' | 'unitPriceMinor'>,
  waiting: (RequestedPrice & { replaces: ReplacedPrices | null }) | null
): ReplacedPrices | null {
  const { priceMinor, linePriceMinor } = requested
  if (!isPrice(requested)) return null
  const before = waiting?.replaces && isOf(waiting.replaces, waiting) ? waiting.replaces : null
  const known = (prices: (number | null | undefined)[]) => [
    ...new Set(prices.filter((price) => typeof price === 'number'))
  ]
  return {
    unitPrices: known([s.unitPriceMinor, waiting?.linePriceMinor, ...(before?.unitPrices ?? [])]),
    prices: known([s.unitPriceMinor === null ? s.priceMinor : null, waiting?.priceMinor, ...(before?.prices ?? [])]),
    of: { priceMinor, linePriceMinor }
  }
}

/** What a price replaces that was requested before, and that a request of something else keeps. */
export function keptReplacedPrices(
  requested: RequestedPrice,
  waiting: (RequestedPrice & { replaces: ReplacedPrices | null }) | null
): ReplacedPrices | null {
  if (!waiting?.replaces || !isPrice(requested) || !isOf(waiting.replaces, waiting)) return null
  const { priceMinor, linePriceMinor } = requested
  return { ...waiting.replaces, of: { priceMinor, linePriceMinor } }
}

/**
 * Whether a requested price may still replace the present one: nobody has agreed another since, or it is made already. True where
 * nothing is known of that.
 */
export function mayReplacePrice(
  change: RequestedPrice & { replaces: ReplacedPrices | null },
  present: { unitPriceMinor: number | null; priceMinor: number }
): boolean {
  const { replaces } = change
  if (!isPrice(change) || !replaces || !isOf(replaces, change)) return true
  const { unitPriceMinor, priceMinor } = present
  const isMade = unitPriceMinor !== null && unitPriceMinor === change.linePriceMinor
  return (
    isMade ||
    priceMinor === change.priceMinor ||
    replaces.prices.includes(priceMinor) ||
    (unitPriceMinor !== null && replaces.unitPrices.includes(unitPriceMinor))
  )
}

const isPrice = ({ priceMinor, linePriceMinor }: RequestedPrice) => priceMinor !== null || linePriceMinor !== null

const isOf = ({ of }: ReplacedPrices, { priceMinor, linePriceMinor }: RequestedPrice) =>
  of.priceMinor === priceMinor && of.linePriceMinor === linePriceMinor
