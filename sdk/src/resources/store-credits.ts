import type { Call } from '../call.ts'
import { type Core, idOf } from '../core.ts'
import type { List } from '../list.ts'
import type { CallOptions } from '../options.ts'
import type { Body, Query, StoreCredit, StoreCreditEntry } from '../types.ts'

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
