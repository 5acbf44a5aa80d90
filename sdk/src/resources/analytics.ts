import type { Call } from '../call.ts'
import type { Core } from '../core.ts'
import type { CallOptions } from '../options.ts'
import type { AnalyticsOverview, Query } from '../types.ts'

/** Metrics of the store. */
export class Analytics {
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  overview(query: Query<'getAnalyticsOverview'> = {}, options?: CallOptions): Call<AnalyticsOverview> {
    return this.#core.call((api, sending) => api.GET('/analytics/overview', { params: { query }, ...sending }), options)
  }
}
