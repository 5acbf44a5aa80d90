import { isoOf } from '../clock.ts'

/** Checks one column's value as the driver gave it and returns it typed; throws when the row is not what we take it for. */
export type Column<T> = (value: unknown) => T

type Shape = Record<string, Column<unknown>>
export type Row<T> = ((row: Record<string, unknown>) => T) & { columns: readonly string[] }
export type RowOf<R> = R extends Row<infer T> ? T : never

class RowMismatch extends Error {}

function expected(what: string, value: unknown): never {
  throw new RowMismatch(`expected ${what}, got ${value === null ? 'null' : typeof value}`)
}

export const text: Column<string> = (v) => (typeof v === 'string' ? v : expected('text', v))
export const bool: Column<boolean> = (v) => (typeof v === 'boolean' ? v : expected('a boolean', v))
/** A whole number that JavaScript holds exactly; bigint columns included. */
export const int: Column<number> = (v) => (Number.isSafeInteger(v) ? (v as number) : expected('a safe integer', v))
export const instant: Column<Temporal.Instant> = (v) => (v instanceof Temporal.Instant ? v : expected('an instant', v))
/** An instant as the API prints it: of a timestamptz, or, where there are many, of `x at time zone 'UTC'`. */
export const isoInstant: Column<string> = (v) =>
  typeof v === 'string' ? v : v instanceof Temporal.Instant ? isoOf(v) : expected('an instant', v)
export const day: Column<Temporal.PlainDate> = (v) => (v instanceof Temporal.PlainDate ? v : expected('a date', v))
export const bytes: Column<Buffer> = (v) => (Buffer.isBuffer(v) ? v : expected('bytes', v))
/** A json or jsonb column, parsed. The caller names the type that was written there. */
export const json =
  <T>(): Column<T> =>
  (v) =>
    v === undefined ? expected('json', v) : (v as T)
export const textList: Column<string[]> = (v) => (Array.isArray(v) ? (v as string[]) : expected('a list', v))
export const intList: Column<number[]> = (v) => (Array.isArray(v) ? (v as number[]) : expected('a list', v))

export function nullable<T>(column: Column<T>): Column<T | null> {
  return (v) => (v === null ? null : column(v))
}

export function oneOf<const T extends string>(...allowed: T[]): Column<T> {
  const set = new Set<string>(allowed)
  return (v) => (set.has(v as string) ? (v as T) : expected(`one of ${allowed.join(', ')}`, v))
}

/**
 * The schema of a row and its type at once. Columns are camelCase here and snake_case in SQL. A row that lacks a column
 * or holds another type throws: that is a bug in a query, never an input.
 */
export function row<S extends Shape>(shape: S): Row<{ [K in keyof S]: ReturnType<S[K]> }> {
  const columns = Object.keys(shape).map((key) => ({
    key,
    name: key.replace(/[A-Z0-9]+/g, (c) => (/^[0-9]/.test(c) ? c : `_${c.toLowerCase()}`)),
    check: shape[key]!
  }))
  const read = (raw: Record<string, unknown>) => {
    const out: Record<string, unknown> = {}
    for (const { key, name, check } of columns) {
      try {
        out[key] = check(raw[name])
      } catch (err) {
        throw new Error(`Column ${name}: ${(err as Error).message}`, { cause: err })
      }
    }
    return out as { [K in keyof S]: ReturnType<S[K]> }
  }
  return Object.assign(read, { columns: columns.map((c) => c.name) })
}
