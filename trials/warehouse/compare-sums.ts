import assert from 'node:assert/strict'
import { type Database, json, row, text } from '#kit/postgres'
import type { Warehouse } from './duckdb.ts'
import type { Sum } from './sum.ts'

/** The numbers of a sum by what they are about. */
export type Numbers = Map<string, Record<string, string | null>>

/** So many differences of a sum are listed. */
const MAX_LISTED = 3

const BaseRow = row({ of: text, numbers: json<Record<string, string | null>>() })

/** The sum from the base tables: numbers come as text with all their digits. */
export async function fromBase(db: Database, storeId: number, { name, base }: Sum): Promise<Numbers> {
  const rows = await db.inInstallation((tx) =>
    tx.many(BaseRow, {
      name: `warehouse_${name.replaceAll(/\W+/g, '_')}`.slice(0, 60),
      text: `select q.of, (select jsonb_object_agg(n.key, n.value) from jsonb_each_text(to_jsonb(q) - 'of') n) as numbers from (${base}) q`,
      values: [storeId]
    })
  )
  return new Map(rows.map(({ of, numbers }) => [of, numbers]))
}

/** The sum from the warehouse. */
export async function fromWarehouse(warehouse: Warehouse, { warehouse: query }: Sum): Promise<Numbers> {
  const rows = await warehouse.rows(query)
  return new Map(rows.map(({ of, ...numbers }) => [of ?? '', numbers]))
}

/** A sentence for each number that is not the same on both sides. */
export function differences(name: string, here: Numbers, base: Numbers): string[] {
  return [...new Set([...base.keys(), ...here.keys()])].toSorted().flatMap((of) => {
    const [one, other] = [here.get(of), base.get(of)]
    if (!one || !other) {
      const numbers = Object.entries((one ?? other)!).map(([measure, value]) => `${measure} ${value}`)
      return [`${name}: ${of || '(nothing)'}: only ${one ? 'the warehouse' : 'the base'} has it: ${numbers.join(', ')}`]
    }
    const measures = [...new Set([...Object.keys(other), ...Object.keys(one)])]
    return measures
      .filter((measure) => one[measure] !== other[measure])
      .map(
        (measure) =>
          `${name}: ${of || '(nothing)'}: ${measure} is ${one[measure]} in the warehouse, ${other[measure]} in the base`
      )
  })
}

/** Throws with the first differences of each sum; `bySum` has all of them. */
export function assertNone(bySum: string[][]): void {
  const different = bySum.filter((found) => found.length > 0)
  if (different.length === 0) return
  const lines = different.flatMap((found) => [
    ...found.slice(0, MAX_LISTED),
    ...(found.length > MAX_LISTED ? [`  … and ${found.length - MAX_LISTED} more in this sum`] : [])
  ])
  assert.fail([`${different.length} of ${bySum.length} sums are different`, ...lines].join('\n'))
}
