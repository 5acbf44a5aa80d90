import { GraphQLError } from 'graphql'
import { parseSegment } from '../../segments/segment-query.ts'
import { countSegments, deleteSegment, insertSegment, type Segment, updateSegment } from '../../state/segments.ts'
import type { Api, Resolvers } from '../../wire/api.ts'
import type { PageArgs } from '../../wire/connections.ts'
import { numberIn } from '../../wire/gid.ts'
import { countUpTo, listing } from '../../wire/pages.ts'
import { type UserError, userError } from '../user-errors.ts'

const pageOfSegments = listing({
  table: 'sandbox.segments',
  sorts: { CREATION_DATE: 'created_at', LAST_EDIT_DATE: 'updated_at', RELEVANCE: 'created_at' },
  where: `($6::jsonb->>'named' is null or position(lower($6::jsonb->>'named') in lower(name)) > 0)`
})

const MOST = { name: 255, query: 5_000 } as const
const WORD = { name: 'Name', query: 'Query' } as const

/** The grammar of a query is looked at only where nothing else is wrong. */
function problemsOf(given: { name?: string | null; query?: string | null }): UserError[] {
  const problems: UserError[] = []
  for (const field of ['name', 'query'] as const) {
    const value = given[field]
    if (value == null) continue
    if (value.trim() === '') problems.push(userError([field], `${WORD[field]} can't be blank`))
    else if (value.length > MOST[field]) {
      problems.push(userError([field], `${WORD[field]} is too long (maximum is ${MOST[field]} characters)`))
    }
  }
  if (problems.length > 0 || given.query == null) return problems
  const parsed = parseSegment(given.query)
  return 'errors' in parsed ? parsed.errors.map((message) => userError(['query'], `Query ${message}`)) : []
}

async function create(_root: unknown, { name, query }: { name: string; query: string }, api: Api) {
  const userErrors = problemsOf({ name, query })
  if (userErrors.length > 0) return { segment: null, userErrors }
  return { segment: await api.write((q, now) => insertSegment(q, api.shop.storeId, { name, query }, now)), userErrors }
}

const none = () => userError(['id'], 'Segment does not exist')

async function update(
  _root: unknown,
  { id, name, query }: { id: string; name?: string | null; query?: string | null },
  api: Api
) {
  const before = await api.load.segment.get(numberIn(api.shop, 'Segment', id))
  if (!before) return { segment: null, userErrors: [none()] }
  const userErrors = problemsOf({ name, query })
  if (userErrors.length > 0) return { segment: null, userErrors }
  const to = { name: name ?? before.name, query: query ?? before.query }
  await api.write((q, now) => updateSegment(q, api.shop.storeId, before.id, to, now))
  return { segment: await api.load.segment.get(before.id), userErrors }
}

async function remove(_root: unknown, { id }: { id: string }, api: Api) {
  const before = await api.load.segment.get(numberIn(api.shop, 'Segment', id))
  if (!before) return { deletedSegmentId: null, userErrors: [none()] }
  await api.write((q) => deleteSegment(q, api.shop.storeId, before.id))
  return { deletedSegmentId: id, userErrors: [] }
}

async function one(_root: unknown, { id }: { id: string }, api: Api): Promise<Segment> {
  const found = await api.load.segment.get(numberIn(api.shop, 'Segment', id))
  if (found) return found
  throw new GraphQLError('Segment does not exist', { extensions: { code: 'NOT_FOUND' } })
}

export const segmentResolvers: Resolvers = {
  QueryRoot: {
    segment: one,
    // The search is of names, and has no fields.
    segments: (_root: unknown, { query, ...args }: PageArgs & { query?: string | null; sortKey?: string }, api: Api) =>
      pageOfSegments(
        api.db.direct,
        api.shop.storeId,
        args,
        (ids) => api.load.segment.list(ids),
        query?.trim() ? { named: query.trim() } : {}
      ),
    segmentsCount: async (_root: unknown, { limit }: { limit?: number | null }, api: Api) =>
      countUpTo(await countSegments(api.db.direct, api.shop.storeId), limit ?? 10_000)
  },
  Mutation: { segmentCreate: create, segmentUpdate: update, segmentDelete: remove },
  Segment: {
    creationDate: ({ createdAt }: Segment) => createdAt,
    lastEditDate: ({ updatedAt }: Segment) => updatedAt
  }
}
