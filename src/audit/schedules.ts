import { type Ctx, instant, int, nullable, oneOf, row, sql, text } from '#kit/postgres'
import { storeContext } from '#stores'
import { billingDate } from '#subscriptions'
import type { Finding } from './commit-rules.ts'

const Scheduled = row({
  id: int,
  anchorAt: instant,
  anchorCycle: int,
  nextCycle: int,
  nextBillingAt: instant,
  interval: oneOf('day', 'week', 'month', 'year'),
  intervalCount: int
})

const PAGE = 5_000
const MAX_FINDINGS = 100

/** Every next date of a cycle that was not tried yet is the date of that cycle, counted from the anchor in the shop's zone; of one that has not followed the shop to its zone yet that is not known. */
export async function auditSchedules(ctx: Ctx): Promise<{ checked: Record<string, number>; findings: Finding[] }> {
  const { timezone, pastTimezones } = await storeContext(ctx)
  const findings: Finding[] = []
  let checked = 0
  for (let after = 0; ; ) {
    const page = await ctx.tx.many(
      Scheduled,
      sql`
      select id, anchor_at, anchor_cycle, next_cycle, next_billing_at, interval, interval_count
        from subscriptions s
       where store_id = ${ctx.storeId} and id > ${after} and status = 'active' and next_billing_at is not null
         and timezone_rebases = ${pastTimezones.length}
         and declines = 0 and inventory_failures = 0 and past_due_cycle is null
         and not exists (select from billing_attempts a
                          where a.store_id = ${ctx.storeId} and a.subscription_id = s.id and a.cycle_index = s.next_cycle)
       order by id limit ${PAGE}`
    )
    for (const s of page) {
      const expected = billingDate(s, s.nextCycle, timezone)
      if (expected.equals(s.nextBillingAt) || findings.length >= MAX_FINDINGS) continue
      findings.push({
        check: 'dates_on_anchor',
        subject: `sub_${s.id}`,
        message: `cycle ${s.nextCycle} is set for ${s.nextBillingAt}, its anchor says ${expected}`
      })
    }
    checked += page.length
    if (page.length < PAGE) return { checked: { dates_on_anchor: checked }, findings }
    after = page.at(-1)!.id
  }
}

/** Our side of the books: every renewal that succeeded, and those whose outcome we do not know yet. */
export function listCharges(ctx: Ctx) {
  return ctx.tx.many(
    row({
      idempotencyKey: text,
      platformAttemptId: nullable(text),
      amountMinor: int,
      status: oneOf('success', 'pending')
    }),
    sql`
    select idempotency_key, platform_attempt_id, amount_minor, status from billing_attempts
     where store_id = ${ctx.storeId} and status in ('success', 'pending') order by id`
  )
}
