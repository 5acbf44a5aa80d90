import { inProportion } from '#kit/money'

const DECIMALS = 9
const SCALE = 10n ** BigInt(DECIMALS)

/** Points before they are rounded down, as a decimal text with nine digits: `parts` of `whole`. */
export function exactPointsOf(parts: bigint, whole: bigint): string {
  const scaled = ((parts * SCALE) / whole).toString().padStart(DECIMALS + 1, '0')
  return `${scaled.slice(0, -DECIMALS)}.${scaled.slice(-DECIMALS)}`
}

/**
 * How many of issued points refunds and disputes of a part of their order take: all but those of what is left, rounded down once. `exact`: what was
 * rounded down to the issued points; null for those of versions that did not keep it, of which what is taken is rounded down.
 */
export function takenShare(
  { points, exact }: { points: number; exact: string | null },
  { partMinor, wholeMinor }: { partMinor: number; wholeMinor: number }
): number {
  if (partMinor <= 0) return 0
  if (partMinor >= wholeMinor) return points
  if (exact === null) return inProportion(points, partMinor, wholeMinor)
  const kept = Number((BigInt(exact.replace('.', '')) * BigInt(wholeMinor - partMinor)) / (BigInt(wholeMinor) * SCALE))
  return points - Math.min(points, kept)
}
