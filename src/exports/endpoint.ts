/**
 * How a field's value becomes text, and that text JSON. `text`, `minute` (`Y-m-d H:i` in the shop's time zone), `day` (`Y-m-d`
 * there) and `decimal` are JSON strings, empty for a value that there is not; `integer` and `boolean` are bare JSON.
 */
export type FieldFormat = 'text' | 'minute' | 'day' | 'decimal' | 'integer' | 'boolean'

/** One field of an endpoint's rows. */
export type Field = {
  name: string
  /** The value in SQL, before it is formatted: text, an instant, minor units, a number or a boolean, as `format` says. */
  sql: string | ((scope: Scope) => string)
  format: FieldFormat
  /** What it is, as documents and schemas say it. */
  meaning: string
  /** The currency of a decimal in SQL; left out: the store's. */
  currency?: string
  /** A row for which it is NULL does not have the field. */
  optional?: true
}

export type EndpointName =
  | 'members'
  | 'credits-history'
  | 'orders'
  | 'customers'
  | 'subscriptions'
  | 'cancellation-reasons'
  | 'store-credits'

/** The parameters of the Data API besides `key`, by their names in the query. */
export type FilterName = 'page' | 'since_id' | 'since_date' | 'since_updated' | 'shopify_customer_gid'

/** The four topics of the Collection API. */
export type TopicName = 'member' | 'store_credit_history' | 'activity_log_m' | 'subscription_contract'

/**
 * What the SQL of a declaration is written for. Everything is written into the text, because COPY takes no parameters: numbers,
 * instants and names that we print ourselves.
 */
export type Scope = {
  /** The store's number. */
  store: string
  /** The store's time, as a literal. */
  now: string
  /** The shop's time zone, as a literal. */
  zone: string
  /** How global ids begin: `'gid://shopify/'`, as a literal. */
  gid: string
  currency: string
  /** The condition that a column holds one of the internal ids of the page's rows. */
  within: (column: string) => string
}

/** What the condition of an endpoint's rows is written for. Without `within` the rows are found by something else than their ids. */
export type RowScope = Pick<Scope, 'store'> & Partial<Pick<Scope, 'within'>>

/** Where the rows of an endpoint come from. Every relation says its store by `scope.store`. */
export type RowSource = {
  /** The table of the rows, and its alias in the SQL; its `id` is the internal id. */
  table: string
  alias: string
  /** Which of its rows belong to the endpoint. */
  where: string | ((scope: RowScope) => string)
  /** Another table says which rows `where` leaves out: it is merged with them in the order of ids. */
  leavesOut?: true
  /** What is joined to it. */
  joins: (scope: Scope) => string
  /**
   * The ids of the rows that show anything of the customers in `related (id)` or of the orders in `given_orders (id)`; the store is `$1`. Pages
   * with such a row are made anew.
   */
  rowsAbout: string
}

/**
 * One declaration for each endpoint: its query, the JSON Schema of its rows, and what documents, taps and manifests say are made of
 * it. `meaning` is of the whole endpoint.
 */
export type ExportEndpoint = {
  name: EndpointName
  meaning: string
  pageSize: number
  filters: readonly FilterName[]
  fields: readonly Field[]
  /** The fields that name a row; empty where none do, so that a copy of a row cannot be told from another row. */
  key: readonly string[]
  /** Rows are only added, with ascending ids: a later sync goes on after the last one. */
  addsOnly?: true
  source: RowSource
} & (
  | { paging: 'page' }
  | {
      paging: 'cursor'
      /** The column of the rows that names the customer, by our number. */
      customer?: string
      /** The instant by which `since_date` goes. */
      date?: string
      /** What `since_updated` goes by: the kind of noted changes, and a column of the rows with an index by which it is found too. */
      changes?: { kind: 'order' | 'subscription'; column: string }
    }
)

/** What a request for a page asks for, read from its query. `since…` are days of the shop. */
export type PageRequest = {
  page: number
  sinceId: number
  sinceDate: Temporal.PlainDate | null
  sinceUpdated: Temporal.PlainDate | null
  /** The numeric id of the platform; `''` for one that names nobody, so that the page is empty. Null: of all customers. */
  customer: string | null
}

/**
 * A column of the rows as they are copied. A `string` is put in quotes, and is empty for NULL; an `optional` one is left out of the row
 * for NULL; a `bare` one is JSON already, and null for NULL.
 */
export type CopiedColumn = { name: string; json: 'string' | 'bare' | 'optional' }

/**
 * What a session sets that runs plans. No nested loops but those that a plan asks for (`lateral` with a limit): where statistics are missing
 * or old, PostgreSQL would count sums over the whole page again for each row.
 */
export const PLANNER_SETTINGS = 'set jit = off; set max_parallel_workers_per_gather = 0; set enable_nestloop = off'

/**
 * What is to be copied: one SELECT of formatted text without parameters, and the JSON around its rows. In a `keyed` plan the first
 * column of the SELECT, which `columns` does not name, is a key of digits: rows with the same key follow each other, and become one
 * array under that key (`"7":[{…},{…}],"9":[…]`).
 */
export type PagePlan = {
  storeId: number
  /** Of the shop; the SELECT is to run under it. */
  timeZone: string
  select: string
  columns: CopiedColumn[]
  head: string
  tail: string
  keyed: boolean
}

/** The internal ids of the rows of a page: those in a range, or those of a list. Both bounds are part of the range. */
export type PageIds = { from: number; through: number } | { ids: number[] }

/** What is asked of an endpoint of a store. */
export type WantedPage = { storeId: number; endpoint: ExportEndpoint; request: PageRequest }

/**
 * A page that is to be copied. `page` null: it has no rows. `now`: the store's time in the text of its SELECT, as ISO 8601. `staysWhile`: the
 * same request means the same rows as long as none of them changes, or none of the whole endpoint; null: that is not sure.
 */
export type PlannedPage = PagePlan & {
  endpoint: EndpointName
  page: PageIds | null
  now: string
  staysWhile: 'its rows stay' | 'all rows stay' | null
}
