import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { exampleOf } from '../example-of.ts'

/** A public event: its description and its payload. Who records and sends it is not known here. */
export type EventDefinition<Fields extends TProperties = TProperties> = {
  /** What happened, without a full stop. */
  summary: string
  /** The payload, `data`; its first example is a whole one. */
  data: TObject<Fields>
  /** When the event of the example occurred. */
  shownAt: string
}

/** The first charge of the life that the examples are of, unless an event says otherwise. */
const SHOWN_AT = '2026-12-15T06:25:01.000Z'

/** The fields of the example that differ from the example of the resource, and when the event of it occurred. */
export type Shown = Record<string, unknown> & { shownAt?: string }

/**
 * Declares a public event by its payload. The example shows each field by `shown`, else by the example of `like`, a
 * resource that has a field of the same name.
 */
export function defineEvent<Fields extends TProperties>({
  summary,
  fields,
  like,
  shown: { shownAt = SHOWN_AT, ...shown } = {}
}: {
  summary: string
  fields: Fields
  like?: TSchema
  shown?: Shown
}): EventDefinition<Fields> {
  const values: Record<string, unknown> = { ...(like && (exampleOf(like) as object)), ...shown }
  const example = Object.fromEntries(Object.keys(fields).map((name) => [name, values[name]]))
  return {
    summary,
    shownAt,
    data: Type.Object(fields, { description: 'A snapshot, taken when the event occurred', examples: [example] })
  }
}

/** The payload of an event, as it is recorded. */
export type PayloadOf<Definition extends EventDefinition> = Static<Definition['data']>
