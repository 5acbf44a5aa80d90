/** Whom a version is for. */
export type VersionTarget = 'new' | 'list_price' | 'all'

/** What it costs, and how long its cycle is. */
export type VersionTerms = {
  price: string
  interval: 'day' | 'week' | 'month' | 'year'
  interval_count: number
  credit: string
}
