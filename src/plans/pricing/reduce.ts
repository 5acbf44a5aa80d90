import type { CartLine } from './cart.ts'
import type { Reduction, Scope } from './perks.ts'

const HUNDREDTHS = 10_000

/** What a reduction takes off an amount: rounded down to a minor unit, and at most the amount. */
export function amountOff(amountMinor: number, reduction: Reduction): number {
  if (reduction.type === 'fixed') return Math.min(amountMinor, reduction.amountMinor)
  // In hundredths of a percent, and in two parts, so that no step is beyond 2^53 and nothing is rounded twice.
  const rate = Math.round(reduction.percent * 100)
  const rest = amountMinor % HUNDREDTHS
  return ((amountMinor - rest) / HUNDREDTHS) * rate + Math.floor((rest * rate) / HUNDREDTHS)
}

export function isInScope(line: CartLine, scope: Scope): boolean {
  if (scope.appliesTo === 'product') return scope.productIds.includes(line.productId)
  if (scope.appliesTo === 'collection') return line.collectionIds.some((id) => scope.collectionIds.includes(id))
  return true
}
