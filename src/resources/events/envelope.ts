import { type TSchema, Type } from 'typebox'
import { exampleOf } from '../example-of.ts'
import { Timestamp } from '../fields.ts'
import type { EventDefinition } from './define-event.ts'

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

/** `subscription.created` → `SubscriptionCreatedEvent`. */
const titleOf = (type: string) => `${type.replace(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase())}Event`
