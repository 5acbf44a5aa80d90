import { amountOf } from './money.ts'
import { type Ctx, type Statement, sql } from './postgres/index.ts'

/**
 * What a rule found wrong: on what, and a sentence about it that continues the subject. In SQL, an amount in a sentence is written in minor
 * units as `{{1050}}`, or with its currency as `{{1050 EUR}}` where that may be another than the store's: `withAmounts` makes it readable.
 */
export type Wrong = { subject: string; message: string }

/** The sentence with amounts as people read them: `10.50 EUR`. `currency` is the store's. */
export const withAmounts = (message: string, currency: string): string =>
  message.replace(/\{\{(-?\d+)(?: ([A-Z]{3}))?\}\}/g, (_, minor, own = currency) => amountOf(Number(minor), own))

/**
 * Something that must always be true of a store. `finding`: data is wrong when it is not; `warning`: nothing is wrong, but a
 * person has to decide something. A rule reads the raw rows: it trusts no balance, no counter and no code that writes them.
 */
export type AuditRule = {
  name: string
  severity: 'finding' | 'warning'
  /** What a finding means and what to do about it, for docs/operations.md. */
  help: string
} & (RowRule | ComputedRule)

/**
 * A rule in SQL. `counted` returns one row with the number of things that the rule looks at; `wrong` returns a row for each
 * thing that is wrong, at most a hundred. Rules of severity `finding` share a transaction of `compareWholeTables`.
 */
type RowRule = {
  counted?: (ctx: Ctx) => Statement
  wrong: (ctx: Ctx) => Statement | Promise<Statement>
}

/** A rule that needs more than a statement. It runs in a transaction of its own. */
type ComputedRule = { check: (ctx: Ctx) => Promise<{ counted: number; wrong: Wrong[] }> }

/** Declares a rule of the auditor: in a module's `audit-rules.ts`, and one line in audit/rule-list.ts. */
export const defineAuditRule = <const Rule extends AuditRule>(rule: Rule): Rule => rule

/**
 * From here to the end of the transaction whole tables are compared. While a store grows faster than its statistics, the
 * planner expects a row or two and would read all of one table for each row of another: hours instead of seconds.
 */
export async function compareWholeTables(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`set local enable_nestloop = off`)
  // A plan that needs a loop now has an estimate so high that it would be compiled first, which takes seconds.
  await ctx.tx.run(sql`set local jit = off`)
}
