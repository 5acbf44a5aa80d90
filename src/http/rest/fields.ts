import { Type } from 'typebox'

/** What a schema says about a field of a request beside what it accepts: what it does, and an example. */
type FieldText = { meaning?: string; examples?: string[] }

/** An id of any form: an unknown id matches nothing, and is no error. */
export const idField = (accepts: string, reported: FieldText = {}) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: accepts, ...reported }))
