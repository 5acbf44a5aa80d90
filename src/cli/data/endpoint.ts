/** A field of the rows of an endpoint; how its text is read. */
export type DataField = {
  name: string
  format: 'text' | 'minute' | 'day' | 'decimal' | 'integer' | 'boolean'
  meaning: string
  optional?: true
}

/** What the command line is given of an endpoint of the Data API. */
export type DataEndpoint = {
  name: string
  meaning: string
  paging: 'page' | 'cursor'
  pageSize: number
  /** The parameters that it reads. */
  filters: readonly string[]
  fields: readonly DataField[]
  /** The fields that name a row; empty where none do. */
  key: readonly string[]
  /** Rows are only added: what is new follows the last one. */
  addsOnly?: true
  /** The JSON Schema of a row. */
  schema: Record<string, unknown>
}

export type Row = Record<string, string | number | boolean>

/** The parameters of a request besides the key and the place in the list. */
export type Filters = { since_date?: string; since_updated?: string }

/** Those of these filters that an endpoint has; it ignores the others. */
export function filtersOf({ filters }: DataEndpoint, given: Filters): Filters {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== undefined && filters.includes(name))
  )
}

/**
 * The names of the columns: the declared fields, and others that rows have, as `<integration>_points` of members. `others` are in the
 * order in which they were seen.
 */
export function otherFields({ fields }: DataEndpoint, rows: readonly Row[], others: readonly string[]): string[] {
  const known = new Set([...fields.map(({ name }) => name), ...others])
  const found = new Set(rows.flatMap((row) => Object.keys(row).filter((name) => !known.has(name))))
  return [...others, ...found]
}
