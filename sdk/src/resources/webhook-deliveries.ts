import type { Call } from '../call.ts'
import { type Core, idOf } from '../core.ts'
import type { CallOptions } from '../options.ts'
import type { WebhookDeliveryDetail } from '../types.ts'

/** Deliveries of events to endpoints, named by their `webhook_id`. */
export class WebhookDeliveries {
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  /** With its body and every attempt. */
  get(deliveryId: string, options?: CallOptions): Call<WebhookDeliveryDetail> {
    return this.#core.call(
      (api, sending) => api.GET('/webhook-deliveries/{delivery_id}', { ...at(deliveryId), ...sending }),
      options
    )
  }

  /** Sends it again, under the same id. */
  resend(deliveryId: string, options?: CallOptions): Call<WebhookDeliveryDetail> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/webhook-deliveries/{delivery_id}/resend', { ...at(deliveryId), body: {}, ...sending }),
      options
    )
  }
}

const at = (deliveryId: string) => ({ params: { path: { delivery_id: idOf(deliveryId) } } })
