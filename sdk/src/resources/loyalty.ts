import type { Call } from '../call.ts'
import type { Core } from '../core.ts'
import type { CallOptions } from '../options.ts'
import type { Body, LoyaltyEventResult } from '../types.ts'

/** What customers did elsewhere, for loyalty rules. */
export class Loyalty {
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  /** Counts a custom action or a review, and returns what it has earned. With an `event_id` it counts once. */
  reportEvent(event: Body<'reportLoyaltyEvent'>, options?: CallOptions): Call<LoyaltyEventResult> {
    return this.#core.call((api, sending) => api.POST('/loyalty/events', { body: event, ...sending }), options)
  }
}
