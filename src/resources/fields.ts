import { Type } from 'typebox'

/** An instant in a response: ISO 8601 in UTC with milliseconds. */
export const Timestamp = (description: string) => Type.String({ format: 'date-time', description })

/** The schema, or null. */
export const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

/**
 * Money as a decimal number, in the currency that the object names. `amount` marks it for whoever makes an example in
 * another currency; published schemas leave it out.
 */
export const Amount = (description: string) => Type.Number({ description, amount: true })
