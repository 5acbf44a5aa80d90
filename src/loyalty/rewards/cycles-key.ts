import { integer, meaning, withDefault } from '#kit/json-fields'

export const cycles = () => meaning('For how many renewals', withDefault(integer(1, 120), 1))

/** "your next renewal", "your next 3 renewals". */
export const nextRenewals = (count: number): string =>
  count === 1 ? 'your next renewal' : `your next ${count} renewals`
