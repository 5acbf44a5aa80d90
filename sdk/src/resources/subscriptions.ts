import type { Call } from '../call.ts'
import { type Core, idOf } from '../core.ts'
import type { List } from '../list.ts'
import type { CallOptions } from '../options.ts'
import type { Activity, Body, Query, Subscription } from '../types.ts'

/** Subscriptions. Each action takes effect at once. */
export class Subscriptions {
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  /** Newest first. */
  list(filter: Query<'listSubscriptions'> = {}, options?: CallOptions): List<Subscription> {
    return this.#core.list(
      (api, sending, query) => api.GET('/subscriptions', { params: { query }, ...sending }),
      filter,
      options
    )
  }

  get(subscriptionId: string, options?: CallOptions): Call<Subscription> {
    return this.#core.call(
      (api, sending) => api.GET('/subscriptions/{subscription_id}', { ...at(subscriptionId), ...sending }),
      options
    )
  }

  /** Stops billing for `duration` days, or until it is resumed. */
  pause(subscriptionId: string, body: Body<'pauseSubscription'> = {}, options?: CallOptions): Call<Subscription> {
    return this.#core.call(
      (api, sending) => api.POST('/subscriptions/{subscription_id}/pause', { ...at(subscriptionId), body, ...sending }),
      options
    )
  }

  /** Continues with the next date of the schedule, or with the given date. */
  resume(subscriptionId: string, body: Body<'resumeSubscription'> = {}, options?: CallOptions): Call<Subscription> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/subscriptions/{subscription_id}/resume', { ...at(subscriptionId), body, ...sending }),
      options
    )
  }

  /** Cancels it; the cancellation can be revoked until `reactivatable_until`. */
  cancel(subscriptionId: string, body: Body<'cancelSubscription'> = {}, options?: CallOptions): Call<Subscription> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/subscriptions/{subscription_id}/cancel', { ...at(subscriptionId), body, ...sending }),
      options
    )
  }

  /** Revokes a cancellation. */
  reactivate(subscriptionId: string, options?: CallOptions): Call<Subscription> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/subscriptions/{subscription_id}/reactivate', { ...at(subscriptionId), body: {}, ...sending }),
      options
    )
  }

  /** Skips the next cycle. */
  skip(subscriptionId: string, options?: CallOptions): Call<Subscription> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/subscriptions/{subscription_id}/skip', { ...at(subscriptionId), body: {}, ...sending }),
      options
    )
  }

  /** Changes the given fields only. Changes that the platform does not have yet are in `pending_change`. */
  update(subscriptionId: string, changes: Body<'changeSubscription'>, options?: CallOptions): Call<Subscription> {
    return this.#core.call(
      (api, sending) =>
        api.PATCH('/subscriptions/{subscription_id}', { ...at(subscriptionId), body: changes, ...sending }),
      options
    )
  }

  /** Gives a membership to another customer, who is the member from now on; the payer stays the same. */
  gift(subscriptionId: string, body: Body<'giftSubscription'>, options?: CallOptions): Call<Subscription> {
    return this.#core.call(
      (api, sending) => api.POST('/subscriptions/{subscription_id}/gift', { ...at(subscriptionId), body, ...sending }),
      options
    )
  }

  /** Revokes a gift: the payer becomes the member again. */
  ungift(subscriptionId: string, options?: CallOptions): Call<Subscription> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/subscriptions/{subscription_id}/ungift', { ...at(subscriptionId), body: {}, ...sending }),
      options
    )
  }

  /** Its history, newest first. */
  activity(
    subscriptionId: string,
    paging: Query<'listSubscriptionActivity'> = {},
    options?: CallOptions
  ): List<Activity> {
    return this.#core.list(
      (api, sending, query) =>
        api.GET('/subscriptions/{subscription_id}/activity', {
          params: { path: { subscription_id: idOf(subscriptionId) }, query },
          ...sending
        }),
      paging,
      options
    )
  }
}

const at = (subscriptionId: string) => ({ params: { path: { subscription_id: idOf(subscriptionId) } } })
