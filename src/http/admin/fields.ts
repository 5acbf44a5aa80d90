import { Type } from 'typebox'

/** Names a store in a path: its `store_…` id or its domain. */
export const StoreParams = Type.Object({ store: Type.String({ description: 'a store id or domain' }) })

export const text = (maxLength: number, accepts = `a text of 1 to ${maxLength} characters`) =>
  Type.String({ minLength: 1, maxLength, description: accepts })

/** As text or as a JSON number; the currency decides how many decimals it may have. */
export const amount = () =>
  Type.Union([Type.String({ maxLength: 30 }), Type.Number()], { description: 'an amount such as 29.00' })

export const platformNumber = (what: string) =>
  Type.String({ pattern: '^[0-9]{1,20}$', description: `the platform's number of ${what}, as a text of digits` })

/** Of a list that is read page by page; 50 when it is left out. */
export const PageLimit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 100, description: 'an integer from 1 to 100' })
)
