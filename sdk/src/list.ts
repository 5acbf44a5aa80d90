import type { ApiResponse } from './api-response.ts'
import type { Reason } from './call.ts'
import { pages } from './pages.ts'

export type Paging = { limit?: number; offset?: number }

/** The maximum page size of the service. */
const LARGEST_PAGE = 100

/**
 * A list of the service. Await it for one page; iterate for every row, fetched page by page. There is no request
 * before one of the two.
 */
export class List<Row extends { id: string }> implements PromiseLike<ApiResponse<Row[]>>, AsyncIterable<Row> {
  readonly #fetchPage: (paging: Paging) => Promise<ApiResponse<Row[]>>
  readonly #paging: Paging

  constructor(fetchPage: (paging: Paging) => Promise<ApiResponse<Row[]>>, { limit, offset }: Paging) {
    this.#fetchPage = fetchPage
    this.#paging = { limit, offset }
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting it requests one page.
  then<A = ApiResponse<Row[]>, B = never>(
    onPage?: ((page: ApiResponse<Row[]>) => A | PromiseLike<A>) | null,
    onError?: ((reason: Reason) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    return this.#fetchPage(this.#paging).then(onPage, onError)
  }

  /** Page by page, from `offset` on; `limit` is the page size, not a maximum. */
  pages(): AsyncGenerator<ApiResponse<Row[]>, void, undefined> {
    const { limit = LARGEST_PAGE, offset: from = 0 } = this.#paging
    return pages.offset((offset) => this.#fetchPage({ limit, offset }), { from })
  }

  /**
   * Row by row. New objects come in at the beginning and push others over the end of a page, into the next one; these
   * are given once. Objects that leave the list while you walk it pull others forward, past you: to change what you
   * filter by, take `toArray` first.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    let before = new Set<string>()
    for await (const { data } of this.pages()) {
      for (const row of data) if (!before.has(row.id)) yield row
      before = new Set(data.map(({ id }) => id))
    }
  }

  /** The first rows, at most `atMost`. */
  async toArray({ atMost }: { atMost: number }): Promise<Row[]> {
    const rows: Row[] = []
    if (rows.length >= atMost) return rows
    for await (const row of this) if (rows.push(row) >= atMost) break
    return rows
  }
}
