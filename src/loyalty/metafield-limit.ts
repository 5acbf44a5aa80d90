import type { JsonField } from '#kit/json-fields'
import { invalidField } from '#kit/refusal'
import { MAX_METAFIELD_BYTES } from '#platform'

/**
 * Refuses a change after which a list is too long for its metafield of the shop, naming the longest field that was given. What was too long
 * before may still be shortened.
 */
export function assertFits<T>(
  { key, field, what }: { key: string; field: JsonField<T[]>; what: string },
  { before, after, given }: { before: T[]; after: T[]; given: Record<string, unknown> }
): void {
  const bytes = bytesOf(field, after)
  if (bytes <= MAX_METAFIELD_BYTES || bytes <= bytesOf(field, before)) return
  const length = (value: unknown) => Buffer.byteLength(JSON.stringify(value ?? null))
  const [longest] = Object.entries(given).toSorted(([, a], [, b]) => length(b) - length(a))[0]!
  throw invalidField(
    longest,
    `must be shorter, or another of the ${what} be shortened or removed: all of them come to ${bytes} bytes as the metafield ${key}, of which the platform takes at most ${MAX_METAFIELD_BYTES}`
  )
}

const bytesOf = <T>(field: JsonField<T[]>, values: T[]) => Buffer.byteLength(JSON.stringify(field.write(values)))
