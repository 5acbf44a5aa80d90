import type { Call } from '../call.ts'
import { type Core, idOf } from '../core.ts'
import type { List } from '../list.ts'
import type { CallOptions } from '../options.ts'
import type {
  Body,
  Query,
  StoreCredit,
  StoreCreditCode,
  StoreCreditEntry,
  StoreCreditGiftCard,
  StoreCreditReservation
} from '../types.ts'

/** Balances of store credit. A customer is named by `cust_…`, the platform's number or its global id. */
export class StoreCredits {
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  get(customerId: string, options?: CallOptions): Call<StoreCredit> {
    return this.#core.call(
      (api, sending) => api.GET('/store-credits/{customer_id}', { params: { path: at(customerId) }, ...sending }),
      options
    )
  }

  add(customerId: string, body: Body<'addStoreCredit'>, options?: CallOptions): Call<StoreCredit> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/store-credits/{customer_id}/add', { params: { path: at(customerId) }, body, ...sending }),
      options
    )
  }

  /** Throws an InvalidRequestError when there is not enough credit; then nothing has changed. */
  deduct(customerId: string, body: Body<'deductStoreCredit'>, options?: CallOptions): Call<StoreCredit> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/store-credits/{customer_id}/deduct', { params: { path: at(customerId) }, body, ...sending }),
      options
    )
  }

  /** Holds credit for a checkout, for 30 minutes unless `duration` says otherwise. Throws like `deduct`. */
  reserve(customerId: string, body: Body<'reserveStoreCredit'>, options?: CallOptions): Call<StoreCreditReservation> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/store-credits/{customer_id}/reservations', { params: { path: at(customerId) }, body, ...sending }),
      options
    )
  }

  /** The gift card on which the customer has store credit; its code only for a key that may write. */
  giftCard(customerId: string, options?: CallOptions): Call<StoreCreditGiftCard> {
    return this.#core.call(
      (api, sending) =>
        api.GET('/store-credits/{customer_id}/gift-card', { params: { path: at(customerId) }, ...sending }),
      options
    )
  }

  /** A reservation, open or ended. */
  reservation(customerId: string, reservationId: string, options?: CallOptions): Call<StoreCreditReservation> {
    return this.#core.call(
      (api, sending) =>
        api.GET('/store-credits/{customer_id}/reservations/{reservation_id}', {
          params: { path: reservationAt(customerId, reservationId) },
          ...sending
        }),
      options
    )
  }

  /** Spends what was reserved, or the part of it that `amount` names; the rest is available again. */
  capture(
    customerId: string,
    reservationId: string,
    body: Body<'captureStoreCreditReservation'> = {},
    options?: CallOptions
  ): Call<StoreCreditReservation> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/store-credits/{customer_id}/reservations/{reservation_id}/capture', {
          params: { path: reservationAt(customerId, reservationId) },
          body,
          ...sending
        }),
      options
    )
  }

  /** Ends a reservation; its credit is available again. */
  release(customerId: string, reservationId: string, options?: CallOptions): Call<StoreCreditReservation> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/store-credits/{customer_id}/reservations/{reservation_id}/release', {
          params: { path: reservationAt(customerId, reservationId) },
          ...sending
        }),
      options
    )
  }

  /**
   * Reserves credit for a discount code, for all that is available unless `amount` says otherwise. The code itself is null until the platform
   * has it: read it again with `code`.
   */
  createCode(
    customerId: string,
    body: Body<'createStoreCreditCode'> = {},
    options?: CallOptions
  ): Call<StoreCreditCode> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/store-credits/{customer_id}/codes', { params: { path: at(customerId) }, body, ...sending }),
      options
    )
  }

  code(customerId: string, codeId: string, options?: CallOptions): Call<StoreCreditCode> {
    return this.#core.call(
      (api, sending) =>
        api.GET('/store-credits/{customer_id}/codes/{code_id}', {
          params: { path: codeAt(customerId, codeId) },
          ...sending
        }),
      options
    )
  }

  /** The codes of a customer, newest first. */
  codes(customerId: string, paging: Query<'listStoreCreditCodes'> = {}, options?: CallOptions): List<StoreCreditCode> {
    return this.#core.list(
      (api, sending, query) =>
        api.GET('/store-credits/{customer_id}/codes', { params: { path: at(customerId), query }, ...sending }),
      paging,
      options
    )
  }

  /** Takes a code off the platform; its credit is available again when no order has used it. */
  revokeCode(customerId: string, codeId: string, options?: CallOptions): Call<StoreCreditCode> {
    return this.#core.call(
      (api, sending) =>
        api.POST('/store-credits/{customer_id}/codes/{code_id}/revoke', {
          params: { path: codeAt(customerId, codeId) },
          ...sending
        }),
      options
    )
  }

  /** The entries of the ledger, newest first. */
  history(
    customerId: string,
    paging: Query<'listStoreCreditHistory'> = {},
    options?: CallOptions
  ): List<StoreCreditEntry> {
    return this.#core.list(
      (api, sending, query) =>
        api.GET('/store-credits/{customer_id}/history', { params: { path: at(customerId), query }, ...sending }),
      paging,
      options
    )
  }
}

const at = (customerId: string) => ({ customer_id: idOf(customerId) })
const reservationAt = (customerId: string, reservationId: string) => ({
  customer_id: idOf(customerId),
  reservation_id: idOf(reservationId)
})
const codeAt = (customerId: string, codeId: string) => ({ customer_id: idOf(customerId), code_id: idOf(codeId) })
