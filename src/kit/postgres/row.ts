import { isoOf } from '../clock.ts'

/** Validates the value of one column from the driver and returns it typed; throws if it has another type. */
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
/** An integer that JavaScript represents exactly; also for bigint columns. */
export const int: Column<number> = (v) => (Number.isSafeInteger(v) ? (v as number) : expected('a safe integer', v))
export const instant: Column<Temporal.Instant> = (v) => (v instanceof Temporal.Instant ? v : expected('an instant', v))
/** An instant as the API prints it, from a timestamptz or, faster, from `x at time zone 'UTC'`. */
export const isoInstant: Column<string> = (v) =>
  typeof v === 'string' ? v : v instanceof Temporal.Instant ? isoOf(v) : expected('an instant', v)
export const day: Column<Temporal.PlainDate> = (v) => (v instanceof Temporal.PlainDate ? v : expected('a date', v))
export const bytes: Column<Buffer> = (v) => (Buffer.isBuffer(v) ? v : expected('bytes', v))
/** A json or jsonb column, parsed. The caller states the type; it is not validated. */
export const json =
  <T>(): Column<T> =>
  (v) =>
    v === undefined ? expected('json', v) : (v as T)
export const textList: Column<string[]> = (v) => (Array.isArray(v) ? (v as string[]) : expected('a list', v))
export const intList: Column<number[]> = (v) => (Array.isArray(v) ? (v as number[]) : expected('a list', v))
/** A list of instants, which may have nulls. */
export const instantList: Column<(Temporal.Instant | null)[]> = (v) =>
  Array.isArray(v) ? (v as (Temporal.Instant | null)[]) : expected('a list', v)

export function nullable<T>(column: Column<T>): Column<T | null> {
  return (v) => (v === null ? null : column(v))
}

export function oneOf<const T extends string>(...allowed: T[]): Column<T> {
  const set = new Set<string>(allowed)
  return (v) => (set.has(v as string) ? (v as T) : expected(`one of ${allowed.join(', ')}`, v))
}

/**
 * Declares the schema of a row and its type. Columns are camelCase here and snake_case in SQL. Throws if a row lacks a column or a
 * value has another type, which is a bug in the query.
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
