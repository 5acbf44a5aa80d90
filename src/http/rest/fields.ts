import { Type } from 'typebox'

/** The three statuses by which members and subscriptions are filtered (spec 1, States). */
export const StatusFilter = () =>
  Type.Optional(
    Type.Union([Type.Literal('active'), Type.Literal('paused'), Type.Literal('cancelled')], {
      description: 'active, paused or cancelled'
    })
  )

/** An id of any form: one that is unknown matches nothing, and is no error. */
export const idField = (takes: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: takes }))

export const textField = (takes: string, maxLength: number) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description: takes }))

/** Null where there is nothing to tell. */
export const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])
