import { Type } from 'typebox'

/** What a schema says about a field of a request beside what it accepts: what it does, and an example. */
type FieldText = { meaning?: string; examples?: string[] }

/** The three statuses by which members and subscriptions are filtered (spec 1, States). */
export const StatusFilter = (reported: FieldText = {}) =>
  Type.Optional(
    Type.Union([Type.Literal('active'), Type.Literal('paused'), Type.Literal('cancelled')], {
      description: 'active, paused or cancelled',
      ...reported
    })
  )

/** An id of any form: an unknown id matches nothing, and is no error. */
export const idField = (accepts: string, reported: FieldText = {}) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: accepts, ...reported }))

export const textField = (accepts: string, maxLength: number, reported: FieldText = {}) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description: accepts, ...reported }))
