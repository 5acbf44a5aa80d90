import type { Ctx } from '#kit/postgres'
import { statementOf } from './pages/statement-of.ts'

/** Columns that a row of these tables must have, with usual values. */
export const NEEDED = {
  plan: {
    tier_name: null,
    status: 'enabled',
    current_version: 1,
    price_minor: 2900,
    interval: 'month',
    interval_count: 1,
    credit_type: 'storecredit',
    trial_days: 0,
    trial_price_minor: 0,
    credit_minor: 0,
    allowed_countries: [],
    perks: {},
    lease_token: 0
  },
  subscription: {
    platform_revision: '1',
    anchor_cycle: 1,
    cycle_index: 1,
    next_cycle: 2,
    cycles_paid: 1,
    timezone_rebases: 0,
    declines: 0,
    inventory_failures: 0,
    paused_by_dunning: false
  },
  attempt: {
    manual: false,
    amount_minor: 2900,
    checks: 0,
    refusals: 0,
    action_reminders: 0,
    new_payment_method: false,
    attempts_remaining: 0,
    recovered: false,
    charged_after_stop: false,
    lease_token: 0
  }
}

/** Inserts rows with the columns of the first one, past every module's own door. */
export async function insertRows({ tx }: Ctx, table: string, rows: Record<string, unknown>[]): Promise<void> {
  if (rows.length === 0) return
  const columns = Object.keys(rows[0]!)
    .map((name) => `"${name}"`)
    .join(', ')
  await tx.run(
    statementOf(
      `insert into ${table} (${columns}) overriding system value
      select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
      [JSON.stringify(rows)]
    )
  )
}
