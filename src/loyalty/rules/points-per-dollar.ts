import { meaning, positiveDecimal, withDefault } from '#kit/json-fields'

export const pointsPerDollar = () =>
  meaning('Points for each unit of the currency', withDefault(positiveDecimal({ to: 10_000, decimals: 4 }), 1))
