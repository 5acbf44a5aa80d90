import type { Core } from '../core.ts'
import { EventList, type EventPage } from '../event-list.ts'
import type { CallOptions } from '../options.ts'
import type { Query, StoredEvent } from '../types.ts'

/** What happened in the store, as its webhooks report it. */
export class Events {
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  /** Oldest first, after `since`; they are kept for 90 days. */
  list(filter: Query<'listEvents'> = {}, options?: CallOptions): EventList {
    return new EventList(
      (query) =>
        this.#core
          .call<StoredEvent[]>((api, sending) => api.GET('/events', { params: { query }, ...sending }), options)
          .withResponse() as Promise<EventPage>,
      filter
    )
  }
}
