import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { exampleOf } from '../example-of.ts'
import { Timestamp } from '../fields.ts'

/** A public event: its description and its payload. Who builds and sends it is not known here. */
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

/**
 * Declares a public event by its payload. The example shows each field by `shown`, else by the example of `resource`,
 * which has a field of the same name. `shownAt` is when it occurred in the example.
 */
export function defineEvent<Fields extends TProperties>(
  summary: string,
  fields: Fields,
  resource: TSchema | null,
  { shownAt = SHOWN_AT, ...shown }: Record<string, unknown> & { shownAt?: string } = {}
): EventDefinition<Fields> {
  const values: Record<string, unknown> = { ...((resource && exampleOf(resource)) as object | null), ...shown }
  const example = Object.fromEntries(Object.keys(fields).map((name) => [name, values[name]]))
  return {
    summary,
    shownAt,
    data: Type.Object(fields, { description: 'A snapshot, taken when the event occurred', examples: [example] })
  }
}

/** `subscription.created` → `SubscriptionCreatedEvent`. */
const titleOf = (type: string) => `${type.replace(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase())}Event`

/** The body that receivers get: the envelope of spec 1 around the payload. */
export function envelopeOf(type: string, { summary, data, shownAt }: EventDefinition): TSchema {
  return Type.Object(
    {
      event: Type.Literal(type, { description: 'The event type' }),
      timestamp: Timestamp("When it occurred, in the store's time"),
      webhook_id: Type.String({ description: 'Id of the delivery; the same for all of its attempts' }),
      data
    },
    {
      title: titleOf(type),
      description: `${summary}.`,
      examples: [
        {
          event: type,
          timestamp: shownAt,
          webhook_id: 'wh_0b57b2ad720443db925f2f75d8eb0e85',
          data: exampleOf(data)
        }
      ]
    }
  )
}

/** The payload of an event, as its builder must make it. */
export type PayloadOf<Definition extends EventDefinition> = Static<Definition['data']>
