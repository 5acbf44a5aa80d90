import { integer, meaning } from '#kit/json-fields'

export const requiredRecharges = () => meaning('How many renewals', integer(1, 1000))

/** "once", "3 times". */
export const timesWords = (count: number): string => (count === 1 ? 'once' : `${count} times`)
