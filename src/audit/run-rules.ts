import { type AuditRule, compareWholeTables, withAmounts } from '#kit/define-audit-rule'
import { type Ctx, type Database, int, row, text } from '#kit/postgres'
import { storeContext } from '#stores'
import * as ruleList from './rule-list.ts'

/** What a rule found: `check` is the name of the rule. */
export type Finding = { check: string; subject: string; message: string }

/** How many things each rule looked at, by its name, and what is wrong. */
export type Audited = { checked: Record<string, number>; findings: Finding[] }

const RULES: AuditRule[] = Object.values(ruleList).toSorted((a, b) => (a.name < b.name ? -1 : 1))

const Count = row({ count: int })
const Found = row({ subject: text, message: text })

/** Checks one store by the rules that are SQL, in the caller's transaction. It should do nothing else afterwards. */
export async function audit(ctx: Ctx): Promise<Audited> {
  await compareWholeTables(ctx)
  const audited: Audited = { checked: {}, findings: [] }
  for (const rule of RULES) {
    if (rule.severity !== 'finding' || !('wrong' in rule)) continue
    if (rule.counted) audited.checked[rule.name] = (await ctx.tx.one(Count, rule.counted(ctx))).count
    audited.findings.push(...(await wrongBy(rule, ctx)))
  }
  return audited
}

/** What needs a person's decision although nothing is wrong. */
export async function auditWarnings(ctx: Ctx): Promise<Finding[]> {
  const found: Finding[] = []
  for (const rule of RULES) {
    if (rule.severity === 'warning' && 'wrong' in rule) found.push(...(await wrongBy(rule, ctx)))
  }
  return found
}

/** Checks one store by every rule, each group in a transaction of its own. */
export async function auditStore(db: Database, storeId: number): Promise<Audited & { warnings: Finding[] }> {
  const audited = await db.inStore(storeId, audit)
  for (const rule of RULES) {
    if (!('check' in rule)) continue
    const { counted, wrong } = await db.inStore(storeId, rule.check)
    audited.checked[rule.name] = counted
    audited.findings.push(...wrong.map((one) => ({ check: rule.name, ...one })))
  }
  return { ...audited, warnings: await db.inStore(storeId, auditWarnings) }
}

async function wrongBy(rule: Extract<AuditRule, { wrong: unknown }>, ctx: Ctx): Promise<Finding[]> {
  const found = await ctx.tx.many(Found, await rule.wrong(ctx))
  const { currency } = await storeContext(ctx)
  return found.map(({ subject, message }) => ({ check: rule.name, subject, message: withAmounts(message, currency) }))
}
