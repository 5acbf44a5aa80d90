import type { Call } from '../call.ts'
import { type Core, idOf } from '../core.ts'
import type { List } from '../list.ts'
import type { CallOptions } from '../options.ts'
import type { Body, Member, Query } from '../types.ts'

/** Customers who have or had a membership or a subscription. */
export class Members {
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  /** Newest first. */
  list(filter: Query<'listMembers'> = {}, options?: CallOptions): List<Member> {
    return this.#core.list(
      (api, sending, query) => api.GET('/members', { params: { query }, ...sending }),
      filter,
      options
    )
  }

  get(memberId: string, options?: CallOptions): Call<Member> {
    return this.#core.call((api, sending) => api.GET('/members/{member_id}', { ...at(memberId), ...sending }), options)
  }

  /** Changes the given fields only. */
  update(memberId: string, changes: Body<'updateMember'>, options?: CallOptions): Call<Member> {
    return this.#core.call(
      (api, sending) => api.PATCH('/members/{member_id}', { ...at(memberId), body: changes, ...sending }),
      options
    )
  }
}

const at = (memberId: string) => ({ params: { path: { member_id: idOf(memberId) } } })
