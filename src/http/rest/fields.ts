import { Type } from 'typebox'

/** What a schema tells of a request's field beside what it takes: what it does, and a value to show. */
type FieldText = { meaning?: string; examples?: string[] }

/** The three statuses by which members and subscriptions are filtered (spec 1, States). */
export const StatusFilter = (reported: FieldText = {}) =>
  Type.Optional(
    Type.Union([Type.Literal('active'), Type.Literal('paused'), Type.Literal('cancelled')], {
      description: 'active, paused or cancelled',
      ...reported
    })
  )

/** An id of any form: one that is unknown matches nothing, and is no error. */
export const idField = (accepts: string, reported: FieldText = {}) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: accepts, ...reported }))

export const textField = (accepts: string, maxLength: number, reported: FieldText = {}) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description: accepts, ...reported }))
