import { CommandError } from '../command-error.ts'
import type { DataSource, Page } from './data-source.ts'
import type { DataEndpoint, Filters } from './endpoint.ts'

/** A page, and where the list goes on: the next number of a page, or the id after which the next rows come. */
export type ReadPage = Page & { next: number; isLast: boolean }

/** Where the list of an endpoint begins. */
export const firstPlace = ({ paging }: Pick<DataEndpoint, 'paging'>): number => (paging === 'page' ? 1 : 0)

/** Reads an endpoint from a place on, page by page, to its end. The last page may be empty. */
export async function* readPages(
  source: DataSource,
  endpoint: DataEndpoint,
  filters: Filters,
  from: number
): AsyncGenerator<ReadPage> {
  for (let place = from; ; ) {
    const read = await readPage(source, endpoint, filters, place)
    yield read
    if (read.isLast) return
    place = read.next
  }
}

/** One page of an endpoint. */
export async function readPage(
  source: DataSource,
  endpoint: DataEndpoint,
  filters: Filters,
  place: number
): Promise<ReadPage> {
  const isPaged = endpoint.paging === 'page'
  const page = await source.readPage(endpoint.name, { ...filters, [isPaged ? 'page' : 'since_id']: String(place) })
  const { per_page, last_id, has_more } = page.meta
  if (isPaged) return { ...page, next: place + 1, isLast: page.data.length < per_page }
  const isLast = has_more !== true
  if (!Number.isSafeInteger(last_id) || (!isLast && last_id! <= place)) {
    throw new CommandError(
      'unavailable',
      `${endpoint.name}: the page after ${place} does not say where the list goes on`
    )
  }
  return { ...page, next: last_id!, isLast }
}
