import { Type } from 'typebox'
import { internalId } from '#kit/ids'
import { noSuchCode } from '#spending'
import { CustomerParams } from '../store-credits/credit-customer.ts'

/** Names a store credit code of a customer in a path. */
export const CodeParams = Type.Object({
  ...CustomerParams.properties,
  code_id: Type.String({ description: 'the id of a store credit code', examples: ['scc_3'] })
})

/** The number of the code in a path. */
export function codeIdOf(given: string): number {
  const id = internalId('scc', given)
  if (id === null) throw noSuchCode(given)
  return id
}
