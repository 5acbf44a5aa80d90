/**
 * A sum that is computed twice. `warehouse` is SQL for DuckDB over the tables of the export, `base` for PostgreSQL over the service's
 * tables, where `$1` is the store. Both return `of`, what a row is about, and numbers of the same names.
 */
export type Sum = { name: string; warehouse: string; base: string }

/** The month of an instant of the base tables on the shop's calendar; `shop` is its row of `stores`. */
export const month = (instant: string): string => `to_char(${instant} at time zone shop.timezone, 'YYYY-MM')`

/** A sum of minor units with the four digits that amounts have in the warehouse. */
export const amount = (minor: string): string => `0.0100 * coalesce(${minor}, 0)`
