import { ofLowPriority, type PlatformClient, type Priority } from '../wire/client.ts'
import { findByIds } from '../wire/find-by-ids.ts'
import { type PlatformResult, succeeded } from '../wire/outcome.ts'
import {
  CustomerTags,
  CustomerTagsAdd,
  CustomerTagsRemove,
  OrderTags,
  OrderTagsAdd,
  OrderTagsRemove
} from './documents.ts'

/** What on the platform has tags that we write. */
export type TaggedKind = 'customer' | 'order'

/** The platform's limits; it counts UTF-16 code units. That of orders is not documented: it is the one of draft orders. */
export const TAG_LIMITS = { perOwner: 250, characters: { customer: 255, order: 40 } } as const

/** A tag as the platform compares it: upper and lower case are one. */
export const tagKey = (tag: string): string => tag.trim().toLowerCase()

export type TagsApi = {
  /**
   * By id, the tags of customers or orders; leaves out those that the platform does not have, and orders that it withholds from us.
   */
  findMany(kind: TaggedKind, ids: string[], priority?: Priority): Promise<PlatformResult<Map<string, string[]>>>
  /** Adds tags and returns all that the owner then has. One that it has already stays in its spelling. Safe to repeat. */
  add(kind: TaggedKind, id: string, tags: string[]): Promise<PlatformResult<string[]>>
  /** Removes tags in whatever case, and returns what the owner then has. Safe to repeat. */
  remove(kind: TaggedKind, id: string, tags: string[]): Promise<PlatformResult<string[]>>
}

const KINDS = {
  customer: { type: 'Customer', read: CustomerTags, add: CustomerTagsAdd, remove: CustomerTagsRemove },
  order: { type: 'Order', read: OrderTags, add: OrderTagsAdd, remove: OrderTagsRemove }
} as const

export function createTagsApi(client: PlatformClient): TagsApi {
  const patient = ofLowPriority(client)
  const change = (document: 'add' | 'remove') => (kind: TaggedKind, id: string, tags: string[]) =>
    client.mutate(KINDS[kind][document], { id: client.gid(KINDS[kind].type, id), tags }, (payload) =>
      payload.at('node').texts('tags')
    )
  return {
    async findMany(kind, ids, priority) {
      const { type, read } = KINDS[kind]
      const found = await findByIds(
        priority === 'low' ? patient : client,
        type,
        read,
        ids,
        (node) => ({ id: node.id('id'), tags: node.texts('tags') }),
        { withheld: kind === 'order' ? 'missing' : 'failure' }
      )
      return found.ok ? succeeded(new Map([...found.value].map(([id, { tags }]) => [id, tags]))) : found
    },
    add: change('add'),
    remove: change('remove')
  }
}
