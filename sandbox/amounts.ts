import { sumOf } from '#kit/money'

/** Splits an amount in proportion to the weights; the parts add up to it, and none exceeds its weight if the amount does not. */
export function inProportion(amountMinor: number, weights: number[]): number[] {
  const all = sumOf(weights)
  if (all === 0) return weights.map(() => 0)
  let [weightSoFar, givenSoFar] = [0, 0]
  return weights.map((weight) => {
    weightSoFar += weight
    const upTo = Number((BigInt(amountMinor) * BigInt(weightSoFar) * 2n + BigInt(all)) / (BigInt(all) * 2n))
    const part = upTo - givenSoFar
    givenSoFar = upTo
    return part
  })
}
