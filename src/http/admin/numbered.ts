import { Type } from 'typebox'
import type { Refusal } from '#kit/refusal'
import { StoreParams } from './store.ts'

/** The path of one thing of a store that has a number, such as a loyalty rule or a churn offer. */
export const numberedParams = <const Name extends string>(name: Name, what: string) =>
  Type.Object({
    ...StoreParams.properties,
    [name]: Type.String({ description: `the number of ${what}`, examples: ['12'] })
  } as typeof StoreParams.properties & Record<Name, ReturnType<typeof Type.String>>)

/** The number that a path names. */
export function numberInPath(given: string, notFound: (id: string) => Refusal): number {
  if (!/^[1-9]\d{0,14}$/.test(given)) throw notFound(given)
  return Number(given)
}
