import { type Static, type TSchema, Type } from 'typebox'
import { snakeCase } from '#kit/define-settings'
import type { PlatformProfileName } from '#stores'

/** How the store of a request writes ids and dates. */
export type RequestStore = { profile: PlatformProfileName; timezone: string }

/**
 * A filter of a list: what the query parameter accepts and does, how its text is read, and how it narrows the list. The
 * parameter is the filter's name in snake_case.
 */
export type Filter<Value = unknown, Schema extends TSchema = TSchema> = {
  /** With a `description` (what it accepts), a `meaning` (what it does) and an example: for errors and the OpenAPI document. */
  schema: Schema
  /** The value of a text that the schema accepts; null for a value that nothing in the list has. */
  read(given: Static<Schema>, store: RequestStore): Value | null
  by: FilterBy<Value>
}

/**
 * How a filter narrows a list.
 * - `facet`: few values with many rows each, which the maintained counts know (decision 0006).
 * - `bound`: an instant, exclusive, in the order of the list.
 * - `key`: few rows, which an index finds and which are counted. `condition` is made of the parameters' places.
 */
export type FilterBy<Value> =
  | { kind: 'facet'; facet: 'status' | 'plan' }
  | { kind: 'bound'; bound: 'after' | 'before' }
  | {
      kind: 'key'
      types: readonly string[]
      condition: (...parameters: string[]) => string
      values(value: Value): unknown[]
    }

export type Filters = Record<string, Filter>

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : ''

/** The values by which a list is filtered; one that is left out lets everything through. */
export type FilterValues<F extends Filters> = {
  [Name in keyof F]?: F[Name] extends Filter<infer Value> ? Value : never
}

type QueryFields<F extends Filters> = {
  [Name in keyof F & string as SnakeCase<Name>]: ReturnType<typeof Type.Optional<F[Name]['schema']>>
}

/** Declares a filter; the type of its value follows from `read`. */
export const defineFilter = <Value, const Schema extends TSchema>(
  filter: Filter<Value, Schema>
): Filter<Value, Schema> => filter

/** The query parameters of a list, for the schema of its route. */
export function queryFields<F extends Filters>(filters: F): QueryFields<F> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, { schema }]) => [snakeCase(name), Type.Optional(schema)])
  ) as unknown as QueryFields<F>
}

/** The filters of a checked query string; null when one has a value that nothing in the list can have. */
export function readFilters<F extends Filters>(
  filters: F,
  query: Record<string, unknown>,
  store: RequestStore
): FilterValues<F> | null {
  const values: Record<string, unknown> = {}
  for (const [name, { read }] of Object.entries(filters)) {
    const given = query[snakeCase(name)]
    if (given === undefined) continue
    const value = read(given, store)
    if (value === null) return null
    values[name] = value
  }
  return values as FilterValues<F>
}

type Words = { meaning: string; examples: string[] }

/** An id of any form: one that is unknown matches nothing, and is no error. */
export const IdText = (accepts: string, words: Words) =>
  Type.String({ minLength: 1, maxLength: 200, description: accepts, ...words })

/** One of a few words. */
export const Choice = <const Word extends string>(words: Word[], meaning: string) =>
  Type.Unsafe<Word>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      { description: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`, meaning }
    )
  )
