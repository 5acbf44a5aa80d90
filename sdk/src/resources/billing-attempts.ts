import type { Call } from '../call.ts'
import { type Core, idOf } from '../core.ts'
import type { List } from '../list.ts'
import type { CallOptions } from '../options.ts'
import type { BillingAttempt, Query } from '../types.ts'

/** Attempts to charge billing cycles. */
export class BillingAttempts {
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  /** Newest first. */
  list(filter: Query<'listBillingAttempts'> = {}, options?: CallOptions): List<BillingAttempt> {
    return this.#core.list(
      (api, sending, query) => api.GET('/billing-attempts', { params: { query }, ...sending }),
      filter,
      options
    )
  }

  get(attemptId: string, options?: CallOptions): Call<BillingAttempt> {
    return this.#core.call(
      (api, sending) => api.GET('/billing-attempts/{attempt_id}', { ...at(attemptId), ...sending }),
      options
    )
  }

  /** Charges the cycle of a failed attempt again; returns the new attempt, which is pending. */
  retry(attemptId: string, options?: CallOptions): Call<BillingAttempt> {
    return this.#core.call(
      (api, sending) => api.POST('/billing-attempts/{attempt_id}/retry', { ...at(attemptId), ...sending }),
      options
    )
  }
}

const at = (attemptId: string) => ({ params: { path: { attempt_id: idOf(attemptId) } } })
