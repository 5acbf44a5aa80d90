/** The rows of a page, as many as the API gives at once. */
export const PAGE_SIZE = 100

const MAX_PAGE = 10_000_000

/** The page that an address names; the first for anything else. */
export function pageFrom(text: string): number {
  const page = Number(text)
  return Number.isInteger(page) && page >= 1 && page <= MAX_PAGE ? page : 1
}

/** What the API reads of that page. */
export const pagingOf = (page: number) => ({ limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE })
