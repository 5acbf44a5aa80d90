/**
 * How a field's value becomes text, and that text JSON. `text`, `minute` (`Y-m-d H:i` in the shop's time zone), `day` (`Y-m-d`
 * there) and `decimal` are JSON strings, empty for a value that there is not; `integer` and `boolean` are bare JSON.
 */
export type FieldFormat = 'text' | 'minute' | 'day' | 'decimal' | 'integer' | 'boolean'

/** One field of an endpoint's rows. */
export type Field = {
  name: string
  /** The value in SQL, before it is formatted: text, an instant, minor units, a number or a boolean, as `format` says. */
  sql: string
  format: FieldFormat
  /** What it is, as documents and schemas say it. */
  meaning: string
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

/** What a request for a page asks for, read from its query. `since…` are days of the shop, `Y-m-d`. */
export type PageRequest = {
  page: number
  sinceId: number
  sinceDate: string | null
  sinceUpdated: string | null
  /** The numeric id of the platform; `''` for one that names nobody, so that the page is empty. Null: of all customers. */
  customer: string | null
}

/**
 * A column of the rows as they are copied. A `string` is put in quotes, and is empty for NULL; an `optional` one is left out of the row
 * for NULL; a `bare` one is JSON already, and null for NULL.
 */
export type CopiedColumn = { name: string; json: 'string' | 'bare' | 'optional' }

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
