import { type Static, type TSchema, Type } from 'typebox'

const Meta = Type.Object(
  {
    total: Type.Integer({ description: 'Number of objects that match in total' }),
    limit: Type.Integer({ description: 'Maximum number of objects on the page; 1 for a single object' }),
    offset: Type.Integer({ description: 'Number of objects that were skipped' }),
    has_more: Type.Boolean({ description: 'Whether there are more objects after this page' })
  },
  {
    title: 'Meta',
    description: 'The position of the page in the list. A single object is a page of one.',
    examples: [{ total: 1, limit: 1, offset: 0, has_more: false }]
  }
)

const SequenceMeta = Type.Object(
  {
    ...Meta.properties,
    next_since: Type.Integer({ description: 'The `since` of the next request, which goes on after this page' })
  },
  {
    title: 'SequenceMeta',
    description: 'The position of the page in a list that is read by sequence.',
    examples: [{ total: 1, limit: 1, offset: 0, has_more: false, next_since: 815 }]
  }
)

/** The envelope of every response: `data` and `meta` (spec 1, Response envelope). */
export const Envelope = <Data extends TSchema>(data: Data) => Type.Object({ data, meta: Meta })

/** The same for a list that goes on at `meta.next_since`. */
export const SequenceEnvelope = <Data extends TSchema>(data: Data) => Type.Object({ data, meta: SequenceMeta })

/** One object; its `meta` is that of a page of one. */
export function envelope<Data>(data: Data): { data: Data; meta: Static<typeof Meta> } {
  return { data, meta: { total: 1, limit: 1, offset: 0, has_more: false } }
}

export function pageEnvelope<Data>(
  data: Data[],
  total: number,
  { limit, offset }: Paging
): { data: Data[]; meta: Static<typeof Meta> } {
  return { data, meta: { total, limit, offset, has_more: offset + data.length < total } }
}

/** An empty page, for a filter that no object can match. */
export const NOTHING = { rows: [], total: 0 }

export type Paging = { limit: number; offset: number }

/** The spec names no default. */
const DEFAULT_LIMIT = 50

/** The parameters of every list. */
export const PagingFields = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: DEFAULT_LIMIT,
      description: 'an integer from 1 to 100',
      meaning: 'Maximum number of objects on the page',
      examples: [2]
    })
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      default: 0,
      description: 'an integer from 0 to 1000000000',
      meaning: 'Number of objects to skip',
      examples: [0]
    })
  )
}

export function pagingOf({ limit = DEFAULT_LIMIT, offset = 0 }: Partial<Paging>): Paging {
  return { limit, offset }
}
