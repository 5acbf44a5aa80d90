/** A page of a list with `limit` and `offset`. */
export type OffsetPage<Row> = { data: Row[]; meta: { has_more: boolean } }
/** A page of a list with `page`. */
export type NumberedPage<Row> = { data: Row[]; meta: { per_page: number } }
/** A page of a list with `since_id`. */
export type CursorPage<Row> = { data: Row[]; meta: { last_id: number; has_more: boolean } }

/**
 * The pages of a list, one request each, sent after the previous page was consumed. `fetchPage` gets the page to request; the
 * list ends when the service reports the end. Flatten them with `rowsOf`.
 */
export const pages = { offset, page, sinceId }

async function* offset<Page extends OffsetPage<unknown>>(
  fetchPage: (offset: number) => Promise<Page>,
  { from = 0 }: { from?: number } = {}
): AsyncGenerator<Page, void, undefined> {
  let passed = from
  for (;;) {
    const page = await fetchPage(passed)
    yield page
    // Counts the rows of the page, not the requested limit, because the service may return fewer.
    passed += page.data.length
    if (!page.meta.has_more || page.data.length === 0) return
  }
}

async function* page<Page extends NumberedPage<unknown>>(
  fetchPage: (page: number) => Promise<Page>,
  { from = 1 }: { from?: number } = {}
): AsyncGenerator<Page, void, undefined> {
  for (let number = from; ; number++) {
    const page = await fetchPage(number)
    yield page
    if (page.data.length === 0 || page.data.length < page.meta.per_page) return
  }
}

async function* sinceId<Page extends CursorPage<unknown>>(
  fetchPage: (sinceId: number) => Promise<Page>,
  { from = 0 }: { from?: number } = {}
): AsyncGenerator<Page, void, undefined> {
  let last = from
  for (;;) {
    const page = await fetchPage(last)
    yield page
    const { has_more, last_id } = page.meta
    if (!has_more) return
    // Continuing would return the same page forever; stopping would hide the rest.
    if (last_id <= last) throw new Error(`The list does not get past the id ${last}, and says that more follow`)
    last = last_id
  }
}

/** The rows of pages, one after the other. */
export async function* rowsOf<Row>(list: AsyncIterable<{ data: Row[] }>): AsyncGenerator<Row, void, undefined> {
  for await (const { data } of list) yield* data
}
