import { GraphQLError } from 'graphql'
import { isMember, listMembers } from '../../segments/members.ts'
import { type Condition, parseSegment } from '../../segments/segment-query.ts'
import type { Customer } from '../../state/customers.ts'
import { displayNameOf } from '../../state/customers.ts'
import { argsOf, type DueJob, insertDueJob } from '../../state/due-jobs.ts'
import type { Api, Resolvers } from '../../wire/api.ts'
import { type PageArgs, pageOf } from '../../wire/connections.ts'
import { gid, numberIn } from '../../wire/gid.ts'
import { moneyV2 } from '../../wire/money.ts'
import { dueJobIn } from '../due-jobs.ts'
import { type UserError, userError } from '../user-errors.ts'

const bad = (message: string, code = 'BAD_REQUEST') => new GraphQLError(message, { extensions: { code } })

async function queryOf(api: Api, segmentId: string): Promise<string> {
  const found = await api.load.segment.get(numberIn(api.shop, 'Segment', segmentId))
  if (!found) throw bad('Segment does not exist', 'NOT_FOUND')
  return found.query
}

function conditionOf(query: string): Condition {
  const parsed = parseSegment(query)
  if ('errors' in parsed) throw bad(parsed.errors.join(' '))
  return parsed.condition
}

type MembersArgs = PageArgs & { segmentId?: string | null; query?: string | null; queryId?: string | null }

/** The members of a segment, of a query, or of one that was asked for before. */
async function members(_root: unknown, args: MembersArgs, api: Api) {
  const given = [args.segmentId, args.query, args.queryId].filter((one) => one != null)
  if (given.length !== 1) throw bad('You must provide one of segment_id, query or query_id.')
  const query = args.segmentId
    ? await queryOf(api, args.segmentId)
    : (args.query ?? (await queryOfJob(api, args.queryId!)))
  const ids = await listMembers(api.db.direct, api.shop, conditionOf(query), await api.now())
  const page = pageOf(
    ids.map((id) => ({ id })),
    args
  )
  const people = await api.load.customer.list(page.nodes.map(({ id }) => id))
  const edges = page.edges.flatMap(({ cursor, node }) => {
    const found = people.find(({ id }) => id === node.id)
    return found ? [{ cursor, node: { ...found, __typename: 'CustomerSegmentMember' } }] : []
  })
  return { edges, pageInfo: page.pageInfo, totalCount: ids.length }
}

async function queryOfJob(api: Api, id: string): Promise<string> {
  const job = await dueJobIn(api, 'CustomerSegmentMembersQuery', id)
  if (job?.kind !== 'count-members') throw bad('Customer segment members query does not exist', 'NOT_FOUND')
  const { query, segmentId } = argsOf(job, 'count-members')
  return segmentId === null ? query : queryOf(api, gid(api.shop, 'Segment', segmentId))
}

type QueryInput = {
  query?: string | null
  segmentId?: string | null
  reverse?: boolean | null
  sortKey?: string | null
}

/** Has the members of a segment looked for; how many they are is known when it is done. */
async function createQuery(_root: unknown, { input }: { input: QueryInput }, api: Api) {
  const refused = (problem: UserError) => ({ customerSegmentMembersQuery: null, userErrors: [problem] })
  const { query, segmentId, reverse, sortKey } = input
  if (query != null && segmentId != null) {
    return refused(userError(['input'], 'Providing both segment_id and query is not supported.', 'INVALID'))
  }
  if (query == null && segmentId == null) {
    return refused(userError(['input'], 'You must provide one of segment_id or query.', 'INVALID'))
  }
  const parsed = query == null ? null : parseSegment(query)
  if (parsed && 'errors' in parsed) return refused(userError(null, parsed.errors[0]!, 'INVALID'))
  const segment = segmentId == null ? null : await api.load.segment.get(numberIn(api.shop, 'Segment', segmentId))
  if (segmentId != null && !segment) return refused(userError(['input'], 'Invalid segment ID.', 'INVALID'))
  const args = {
    query: query ?? '',
    segmentId: segment?.id ?? null,
    reverse: reverse ?? false,
    sortKey: sortKey ?? null
  }
  const job = await api.write((q, now) => insertDueJob(q, api.shop.storeId, { kind: 'count-members', args }, now))
  return { customerSegmentMembersQuery: job, userErrors: [] }
}

export const segmentMemberResolvers: Resolvers = {
  QueryRoot: {
    customerSegmentMembers: members,
    customerSegmentMembersQuery: async (_root: unknown, { id }: { id: string }, api: Api) => {
      const job = await dueJobIn(api, 'CustomerSegmentMembersQuery', id)
      return job?.kind === 'count-members' ? job : null
    },
    customerSegmentMembership: async (
      _root: unknown,
      { customerId, segmentIds }: { customerId: string; segmentIds: string[] },
      api: Api
    ) => {
      const number = numberIn(api.shop, 'Customer', customerId)
      const segments = await api.load.segment.list(segmentIds.map((id) => numberIn(api.shop, 'Segment', id)))
      const memberships = []
      for (const { id, query } of segments) {
        const isInside = await isMember(api.db.direct, api.shop, number, query, await api.now())
        memberships.push({ segmentId: gid(api.shop, 'Segment', id), isMember: isInside })
      }
      return { memberships }
    }
  },
  Mutation: { customerSegmentMembersQueryCreate: createQuery },
  CustomerSegmentMembersQuery: {
    id: ({ token }: DueJob, _args: unknown, { shop }: Api) => gid(shop, 'CustomerSegmentMembersQuery', token),
    currentCount: ({ result }: DueJob) => result?.members ?? 0,
    done: ({ dueAt }: DueJob) => dueAt === null
  },
  CustomerSegmentMember: {
    displayName: displayNameOf,
    amountSpent: ({ spentMinor }: Customer, _args: unknown, { shop }: Api) => moneyV2(spentMinor, shop.currency),
    numberOfOrders: ({ ordersCount }: Customer) => ordersCount,
    defaultEmailAddress: ({ email }: Customer) =>
      email === null ? null : { __typename: 'CustomerEmailAddress', emailAddress: email },
    defaultPhoneNumber: ({ phone }: Customer) =>
      phone === null ? null : { __typename: 'CustomerPhoneNumber', phoneNumber: phone }
  }
}
