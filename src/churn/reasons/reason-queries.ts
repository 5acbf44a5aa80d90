import { type Ctx, sql } from '#kit/postgres'
import {
  REASON_ALIASES,
  REASON_TITLES,
  type Reason,
  type ReasonAlias,
  type ReasonChange,
  ReasonRow,
  reasonId
} from './reasons.ts'

/** All nine, in the order of the store; those that are switched off too. */
export async function listReasons(ctx: Ctx): Promise<Reason[]> {
  const rows = await ctx.tx.many(
    ReasonRow,
    sql`
    select alias, title, description, position, is_on from churn_reasons where store_id = ${ctx.storeId}`
  )
  return withStandards(rows)
}

/** The reasons of a store, of which these rows are what it has changed. */
export function withStandards(rows: Omit<Reason, 'id'>[]): Reason[] {
  const changed = new Map(rows.map((one) => [one.alias, one]))
  return REASON_ALIASES.map((alias) => ({ ...(changed.get(alias) ?? standardOf(alias)), id: reasonId(alias) })).sort(
    (a, b) => a.position - b.position || a.id - b.id
  )
}

/** Writes what is given; the rest stays. */
export async function writeReason(ctx: Ctx, alias: ReasonAlias, change: ReasonChange): Promise<void> {
  const one = { ...standardOf(alias), ...change }
  const isGiven = (name: keyof ReasonChange) => change[name] !== undefined
  await ctx.tx.run(sql`
    insert into churn_reasons as r (store_id, alias, title, description, position, is_on, updated_at)
    values (${ctx.storeId}, ${alias}, ${one.title}, ${one.description}, ${one.position}, ${one.isOn}, ${ctx.now})
    on conflict (store_id, alias) do update
      set title = case when ${isGiven('title')}::boolean then excluded.title else r.title end,
          description = case when ${isGiven('description')}::boolean then excluded.description else r.description end,
          position = case when ${isGiven('position')}::boolean then excluded.position else r.position end,
          is_on = case when ${isGiven('isOn')}::boolean then excluded.is_on else r.is_on end,
          updated_at = excluded.updated_at`)
}

const standardOf = (alias: ReasonAlias): Omit<Reason, 'id'> => ({
  alias,
  title: REASON_TITLES[alias],
  description: null,
  position: reasonId(alias) * 10,
  isOn: true
})
