import { Type } from 'typebox'

/** What a schema tells of a request's field beside what it takes: what it does, and a value to show. */
type Told = { meaning?: string; examples?: string[] }

/** The three statuses by which members and subscriptions are filtered (spec 1, States). */
export const StatusFilter = (told: Told = {}) =>
  Type.Optional(
    Type.Union([Type.Literal('active'), Type.Literal('paused'), Type.Literal('cancelled')], {
      description: 'active, paused or cancelled',
      ...told
    })
  )

/** An id of any form: one that is unknown matches nothing, and is no error. */
export const idField = (takes: string, told: Told = {}) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: takes, ...told }))

export const textField = (takes: string, maxLength: number, told: Told = {}) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description: takes, ...told }))
