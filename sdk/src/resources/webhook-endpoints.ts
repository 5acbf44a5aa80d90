import type { Call } from '../call.ts'
import { type Core, idOf } from '../core.ts'
import type { List } from '../list.ts'
import type { CallOptions } from '../options.ts'
import type {
  Body,
  DeletedWebhookEndpoint,
  Query,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEndpoint,
  WebhookEndpointWithSecret
} from '../types.ts'

/** The receivers of the store's events. */
export class WebhookEndpoints {
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  /** Newest first. */
  list(paging: Query<'listWebhookEndpoints'> = {}, options?: CallOptions): List<WebhookEndpoint> {
    return this.#core.list(
      (api, sending, query) => api.GET('/webhook-endpoints', { params: { query }, ...sending }),
      paging,
      options
    )
  }

  get(endpointId: string, options?: CallOptions): Call<WebhookEndpoint> {
    return this.#core.call(
      (api, sending) => api.GET('/webhook-endpoints/{endpoint_id}', { ...at(endpointId), ...sending }),
      options
    )
  }

  /** Returns the signing secret too, which is not shown again. */
  create(body: Body<'createWebhookEndpoint'>, options?: CallOptions): Call<WebhookEndpointWithSecret> {
    return this.#core.call((api, sending) => api.POST('/webhook-endpoints', { body, ...sending }), options)
  }

  /** Changes the given fields only. */
  update(endpointId: string, changes: Body<'updateWebhookEndpoint'>, options?: CallOptions): Call<WebhookEndpoint> {
    return this.#core.call(
      (api, sending) => api.PATCH('/webhook-endpoints/{endpoint_id}', { ...at(endpointId), body: changes, ...sending }),
      options
    )
  }

  /** Cancels the deliveries that wait for it. */
  delete(endpointId: string, options?: CallOptions): Call<DeletedWebhookEndpoint> {
    return this.#core.call(
      (api, sending) => api.DELETE('/webhook-endpoints/{endpoint_id}', { ...at(endpointId), ...sending }),
      options
    )
  }

  enable(endpointId: string, options?: CallOptions): Call<WebhookEndpoint> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/webhook-endpoints/{endpoint_id}/enable', { ...at(endpointId), body: {}, ...sending }),
      options
    )
  }

  /** Cancels the deliveries that wait for it. */
  disable(endpointId: string, body: Body<'disableWebhookEndpoint'> = {}, options?: CallOptions): Call<WebhookEndpoint> {
    return this.#core.call(
      (api, sending) => api.POST('/webhook-endpoints/{endpoint_id}/disable', { ...at(endpointId), body, ...sending }),
      options
    )
  }

  /** Returns a new secret; the old one signs too for `overlap` hours. */
  rollSecret(
    endpointId: string,
    body: Body<'rollWebhookSecret'> = {},
    options?: CallOptions
  ): Call<WebhookEndpointWithSecret> {
    return this.#core.call(
      (api, sending) => api.POST('/webhook-endpoints/{endpoint_id}/roll', { ...at(endpointId), body, ...sending }),
      options
    )
  }

  /** From now on only the new secret signs. */
  endRoll(endpointId: string, options?: CallOptions): Call<WebhookEndpoint> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/webhook-endpoints/{endpoint_id}/end-roll', { ...at(endpointId), body: {}, ...sending }),
      options
    )
  }

  /** Sends a sample once. */
  test(endpointId: string, body: Body<'testWebhookEndpoint'>, options?: CallOptions): Call<WebhookDeliveryDetail> {
    return this.#core.call(
      (api, sending) => api.POST('/webhook-endpoints/{endpoint_id}/test', { ...at(endpointId), body, ...sending }),
      options
    )
  }

  /** Newest first. */
  deliveries(
    endpointId: string,
    filter: Query<'listWebhookDeliveries'> = {},
    options?: CallOptions
  ): List<WebhookDelivery> {
    return this.#core.list(
      (api, sending, query) =>
        api.GET('/webhook-endpoints/{endpoint_id}/deliveries', {
          params: { path: { endpoint_id: idOf(endpointId) }, query },
          ...sending
        }),
      filter,
      options
    )
  }
}

const at = (endpointId: string) => ({ params: { path: { endpoint_id: idOf(endpointId) } } })
