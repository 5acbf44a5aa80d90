import { endpoints } from '#exports'
import type { Warehouse } from './duckdb.ts'

export const FORMATS = ['parquet', 'ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** How the text of each format of a field becomes a value, as docs/warehouses.md says. */
const VALUES = {
  text: (field: string) => `coalesce(${field}, '')`,
  decimal: (field: string) => `cast(nullif(${field}, '') as decimal(18, 4))`,
  minute: (field: string) => `strptime(nullif(${field}, ''), '%Y-%m-%d %H:%M')`,
  day: (field: string) => `cast(nullif(${field}, '') as date)`,
  integer: (field: string) => `cast(nullif(${field}, '') as bigint)`,
  boolean: (field: string) => `cast(nullif(${field}, '') as boolean)`
}

/** Loads the files of `perennial export` into a table for each endpoint, with the names that docs/warehouses.md gives them. */
export async function loadFiles(warehouse: Warehouse, format: Format): Promise<void> {
  for (const { name, fields } of endpoints) {
    const file = `${name}.${format}`
    const columns = fields.map((field) => `${VALUES[field.format](field.name)} as ${field.name}`)
    const typed = (rows: string) => `select ${columns.join(', ')} from ${rows}`
    const texts = fields.map((field) => `${field.name}: 'VARCHAR'`).join(', ')
    const select = {
      parquet: `select * from read_parquet('${file}')`,
      ndjson: typed(`read_json('${file}', format = 'newline_delimited', columns = {${texts}})`),
      csv: typed(`read_csv('${file}', header = true, all_varchar = true)`)
    }[format]
    await warehouse.run(`create table ${name.replaceAll('-', '_')} as ${select}`)
  }
}
