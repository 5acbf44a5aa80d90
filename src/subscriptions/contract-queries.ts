import { arrayText, type Ctx, sql } from '#kit/postgres'
import type { Subscription } from './subscription.ts'

/** What a read of the platform's contract changes without notice to anybody. */
export type Seen = Pick<
  Subscription,
  | 'id'
  | 'platformRevision'
  | 'platformNextBillingAt'
  | 'maxCycles'
  | 'paymentMethod'
  | 'platformPaymentMethodId'
  | 'anchorAt'
  | 'anchorCycle'
  | 'graceEndsAt'
  | 'pastDueCycle'
  | 'memberDiscountMinor'
  | 'grantedDiscountMinor'
  | 'deliveryMinor'
  | 'lineChargesMinor'
  | 'lineQuantities'
>

/** Records what was read of contracts. What is shown of the subscriptions stays the same. */
export async function markSeen(ctx: Ctx, rows: Seen[]): Promise<void> {
  await ctx.tx.run(sql`
    update subscriptions s
       set platform_revision = t.revision, platform_next_billing_at = t.platform_date, max_cycles = t.max_cycles,
           payment_method = t.payment_method::jsonb, platform_payment_method_id = t.method_id, anchor_at = t.anchor_at, anchor_cycle = t.anchor_cycle,
           grace_ends_at = t.grace_ends_at, past_due_cycle = t.past_due_cycle, member_discount_minor = t.member_discount,
           granted_discount_minor = t.granted_discount, delivery_minor = t.delivery,
           line_charges_minor = t.line_charges::bigint[], line_quantities = t.line_quantities::int[]
      from unnest(${rows.map((r) => r.id)}::bigint[], ${rows.map((r) => r.platformRevision)}::text[],
                  ${rows.map((r) => r.platformNextBillingAt)}::timestamptz[], ${rows.map((r) => r.maxCycles)}::int[],
                  ${rows.map((r) => r.paymentMethod && JSON.stringify(r.paymentMethod))}::text[],
                  ${rows.map((r) => r.platformPaymentMethodId)}::text[],
                  ${rows.map((r) => r.anchorAt)}::timestamptz[], ${rows.map((r) => r.anchorCycle)}::int[],
                  ${rows.map((r) => r.graceEndsAt)}::timestamptz[], ${rows.map((r) => r.pastDueCycle)}::int[],
                  ${rows.map((r) => r.memberDiscountMinor)}::bigint[], ${rows.map((r) => r.grantedDiscountMinor)}::bigint[],
                  ${rows.map((r) => r.deliveryMinor)}::bigint[],
                  ${rows.map((r) => arrayText(r.lineChargesMinor))}::text[], ${rows.map((r) => arrayText(r.lineQuantities))}::text[])
             as t(id, revision, platform_date, max_cycles, payment_method, method_id, anchor_at, anchor_cycle, grace_ends_at,
                  past_due_cycle, member_discount, granted_discount, delivery, line_charges, line_quantities)
     where s.store_id = ${ctx.storeId} and s.id = t.id
       and (s.platform_revision, s.platform_next_billing_at, s.max_cycles, s.payment_method,
            s.platform_payment_method_id, s.anchor_at, s.anchor_cycle,
            s.grace_ends_at, s.past_due_cycle, s.member_discount_minor, s.granted_discount_minor, s.delivery_minor,
            s.line_charges_minor, s.line_quantities)
           is distinct from (t.revision, t.platform_date, t.max_cycles, t.payment_method::jsonb, t.method_id, t.anchor_at,
                             t.anchor_cycle, t.grace_ends_at, t.past_due_cycle, t.member_discount, t.granted_discount,
                             t.delivery, t.line_charges::bigint[], t.line_quantities::int[])`)
}

/** What is bought, at which price and how often: the part of a subscription that only the platform's contract changes. */
export type Terms = Pick<
  Subscription,
  'planId' | 'planVersion' | 'name' | 'priceMinor' | 'unitPriceMinor' | 'interval' | 'intervalCount' | 'trialEndsAt'
>

/** Writes new terms of locked rows. */
export async function markTerms(ctx: Ctx, rows: (Terms & { id: number })[]): Promise<void> {
  if (rows.length === 0) return
  await ctx.tx.run(sql`
    update subscriptions s
       set plan_id = t.plan_id, plan_version = t.plan_version, name = t.name, price_minor = t.price, unit_price_minor = t.unit_price,
           interval = t.interval,
           interval_count = t.interval_count, trial_ends_at = t.trial_ends_at, updated_at = ${ctx.now}
      from unnest(${rows.map((r) => r.id)}::bigint[], ${rows.map((r) => r.planId)}::bigint[],
                  ${rows.map((r) => r.planVersion)}::int[],
                  ${rows.map((r) => r.name)}::text[], ${rows.map((r) => r.priceMinor)}::bigint[],
                  ${rows.map((r) => r.unitPriceMinor)}::bigint[],
                  ${rows.map((r) => r.interval)}::text[], ${rows.map((r) => r.intervalCount)}::int[],
                  ${rows.map((r) => r.trialEndsAt)}::timestamptz[])
             as t(id, plan_id, plan_version, name, price, unit_price, interval, interval_count, trial_ends_at)
     where s.store_id = ${ctx.storeId} and s.id = t.id`)
}

/** What our own change of a contract led to. `nextBillingAt` is null where the change did not set the date. */
export type Pushed = { id: number; revision: string; nextBillingAt: Temporal.Instant | null }

/**
 * Records what our own changes on the platform led to, so that messages about them change nothing here. A newer revision that
 * was read meanwhile stays: revisions are digits, longer ones are newer. A charge that waited for its contract to be active again
 * is due.
 */
export async function markPushed(ctx: Ctx, rows: Pushed[]): Promise<void> {
  if (rows.length === 0) return
  await ctx.tx.run(sql`
    update subscriptions s
       set platform_revision = case when (length(t.revision), t.revision collate "C")
                                         > (length(s.platform_revision), s.platform_revision collate "C")
                                    then t.revision else s.platform_revision end,
           platform_next_billing_at = coalesce(t.platform_date, s.platform_next_billing_at),
           billing_due_at = case when s.next_billing_at <= ${ctx.now} and s.billing_due_at > ${ctx.now}
                                 then ${ctx.now} else s.billing_due_at end
      from unnest(${rows.map((r) => r.id)}::bigint[], ${rows.map((r) => r.revision)}::text[],
                  ${rows.map((r) => r.nextBillingAt)}::timestamptz[]) as t(id, revision, platform_date)
     where s.store_id = ${ctx.storeId} and s.id = t.id`)
}

/** Records the payment methods of contracts (platform numbers), so that a later read of them finds nothing new. */
export async function markPaymentMethods(ctx: Ctx, rows: { contractId: string; methodId: string }[]): Promise<void> {
  if (rows.length === 0) return
  await ctx.tx.run(sql`
    update subscriptions s set platform_payment_method_id = t.method_id
      from unnest(${rows.map((r) => r.contractId)}::text[], ${rows.map((r) => r.methodId)}::text[]) as t(contract, method_id)
     where s.store_id = ${ctx.storeId} and s.platform_contract_id = t.contract`)
}
