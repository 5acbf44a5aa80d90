import pg from 'pg'
import { STORE_ROLE } from '#kit/postgres'
import { type PagePlan, PLANNER_SETTINGS } from './endpoint.ts'

type Json = string | number | boolean | null
export type ExportedRow = Record<string, Json>

/** Runs the SELECT of a plan as a page does, and reads the JSON that its columns say; slowly, and without COPY. */
export async function readPlan(
  url: string,
  plan: PagePlan
): Promise<{ data: ExportedRow[]; meta: Record<string, Json>; keys: string[] }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`begin; set local role ${STORE_ROLE}`)
    await client.query(`set local perennial.store_id = '${plan.storeId}'`)
    await client.query(PLANNER_SETTINGS)
    await client.query(`set local timezone = '${plan.timeZone}'; set local datestyle = 'ISO'`)
    const { rows } = await client.query({ text: plan.select, rowMode: 'array', types: { getTypeParser: () => String } })
    const read = (row: (string | null)[]) => {
      const values = plan.keyed ? row.slice(1) : row
      return Object.fromEntries(
        plan.columns.flatMap(({ name, json }, i): [string, Json][] => {
          const value = values[i] ?? null
          if (json === 'bare') return [[name, value === null ? null : JSON.parse(value)]]
          return json === 'optional' && value === null ? [] : [[name, value ?? '']]
        })
      )
    }
    const whole = JSON.parse(plan.head + plan.tail)
    return { data: rows.map(read), meta: whole.meta ?? {}, keys: plan.keyed ? rows.map((row) => row[0]) : [] }
  } finally {
    await client.end()
  }
}
