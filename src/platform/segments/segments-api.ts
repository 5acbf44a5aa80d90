import type { PlatformClient } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import { findByIds } from '../wire/find-by-ids.ts'
import { type PlatformResult, succeeded } from '../wire/outcome.ts'
import { SegmentCreate, SegmentsByIds, SegmentsByName, SegmentUpdate } from './documents.ts'

/** A group of customers that the platform forms by a query, in its own language. */
export type Segment = { id: string; name: string; query: string }

export type SegmentsApi = {
  /** By the platform's numbers; leaves out those that it does not have any more. */
  findMany(ids: string[]): Promise<PlatformResult<Map<string, Segment>>>
  /** Those of this name in capital or small letters. */
  findByName(name: string): Promise<PlatformResult<Segment[]>>
  /** Returns its number. Not safe to repeat: look for its name first. */
  create(segment: Omit<Segment, 'id'>): Promise<PlatformResult<string>>
  update(segment: Segment): Promise<PlatformResult<null>>
}

export function createSegmentsApi(client: PlatformClient): SegmentsApi {
  const read = (one: Fields): Segment => ({ id: one.id('id'), name: one.text('name'), query: one.text('query') })
  return {
    findMany: (ids) => findByIds(client, 'Segment', SegmentsByIds, ids, read),
    async findByName(name) {
      const found = await client.query(SegmentsByName, { name }, (data) => data.at('segments').list('nodes').map(read))
      return found.ok ? succeeded(found.value.filter((one) => one.name.toLowerCase() === name.toLowerCase())) : found
    },
    create: ({ name, query }) =>
      client.mutate(SegmentCreate, { name, query }, (payload) => payload.at('segment').id('id')),
    update: ({ id, name, query }) =>
      client.mutate(SegmentUpdate, { id: client.gid('Segment', id), name, query }, () => null)
  }
}
