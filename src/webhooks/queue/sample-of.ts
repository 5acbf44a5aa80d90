import { isoOf } from '#kit/clock'
import { numberOf } from '#kit/money'
import { gid, type ProfileName } from '#platform'
import { exampleOf } from '#resources'
import { EVENTS, type EventType } from '../public-events.ts'

/** Far above any id that is given: a sample names nothing that exists, so a receiver cannot act on a real customer. */
const NOBODY = 9_000_000_000_000_024

export type SampleStore = { currency: string; profile: ProfileName; now: Temporal.Instant }

/** The parts of a schema that distinguish money, instants and other values. */
type Field = { amount?: boolean; format?: string; properties?: Record<string, Field>; anyOf?: Field[]; type?: string }

/**
 * A realistic `data` of an event type, for test sends: the example of the published schema, as it would be in this store
 * now. Instants keep their distance from the event, amounts are in the store's currency (29 USD, 2900 JPY, 2.9 KWD), and
 * ids are those of nobody.
 */
export function sampleOf(type: EventType, { currency, profile, now }: SampleStore): Record<string, unknown> {
  const { data, shownAt } = EVENTS[type]
  const distance = Temporal.Instant.from(shownAt).until(now)

  const adapt = (value: unknown, field: Field | undefined): unknown => {
    if (value === null) return null
    const schema = field?.anyOf?.find((option) => option.type !== 'null') ?? field
    if (typeof value === 'object') {
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [
          name,
          name === 'currency' ? currency : adapt(inner, schema?.properties?.[name])
        ])
      )
    }
    if (typeof value === 'number') return schema?.amount ? numberOf(Math.round(value * 100), currency) : value
    if (typeof value !== 'string') return value
    if (schema?.format === 'date-time') return isoOf(Temporal.Instant.from(value).add(distance))
    return nobodysId(value, profile) ?? value
  }
  return adapt(exampleOf(data), data) as Record<string, unknown>
}

/** The same kind of id, of nobody; null for a text that is no id. */
function nobodysId(text: string, profile: ProfileName): string | null {
  const [, kind] = /^gid:\/\/[^/]+\/(\w+)\/\d+$/.exec(text) ?? []
  if (kind) return gid(profile, kind, String(NOBODY))
  return /^[a-z]+_\d+$/.test(text) ? text.replace(/\d+$/, String(NOBODY)) : null
}
