import type { ApiResponse, Meta } from './api-response.ts'
import type { Reason } from './call.ts'
import type { Query, StoredEvent } from './types.ts'

/** A page of events. `meta.next_since` is the `since` with which to go on, at once or later. */
export type EventPage = Omit<ApiResponse<StoredEvent[]>, 'meta'> & { meta: Meta & { next_since: number } }

type EventQuery = Query<'listEvents'>

/** The maximum page size of the service. */
const LARGEST_PAGE = 100

/**
 * The events of a store, oldest first. Await it for one page; iterate for every event up to the last one there is, fetched page by
 * page. There is no request before one of the two.
 */
export class EventList implements PromiseLike<EventPage>, AsyncIterable<StoredEvent> {
  readonly #fetchPage: (query: EventQuery) => Promise<EventPage>
  readonly #query: EventQuery

  constructor(fetchPage: (query: EventQuery) => Promise<EventPage>, query: EventQuery) {
    this.#fetchPage = fetchPage
    this.#query = query
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting it requests one page.
  then<A = EventPage, B = never>(
    onPage?: ((page: EventPage) => A | PromiseLike<A>) | null,
    onError?: ((reason: Reason) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    return this.#fetchPage(this.#query).then(onPage, onError)
  }

  /** Page by page; `limit` is the page size. Keep the `meta.next_since` of the last page to go on from there later. */
  async *pages(): AsyncGenerator<EventPage, void, undefined> {
    const { offset, ...query } = this.#query
    let since = query.since
    for (let first = true; ; first = false) {
      const page = await this.#fetchPage({ limit: LARGEST_PAGE, ...query, since, ...(first && { offset }) })
      yield page
      const { has_more, next_since } = page.meta
      if (!has_more) return
      // Continuing would return the same page forever; stopping would hide the rest.
      if (since !== undefined && next_since <= since) {
        throw new Error(`The list does not get past the sequence ${since}, and says that more follow`)
      }
      since = next_since
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StoredEvent, void, undefined> {
    for await (const { data } of this.pages()) yield* data
  }
}
