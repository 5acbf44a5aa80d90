import { decimalBetween, meaning, withDefault } from '#kit/json-fields'

export const pointsPerDollar = () =>
  meaning('Points for each unit of the currency', withDefault(decimalBetween({ above: 0, to: 10_000, decimals: 4 }), 1))
