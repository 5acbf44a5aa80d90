import { arrayText, type Ctx, sql } from '#kit/postgres'
import { storeContext } from '#stores'
import type { PaymentMethod, Subscription } from './subscription.ts'

export type NewSubscription = Pick<
  Subscription,
  | 'memberId'
  | 'planId'
  | 'planVersion'
  | 'platformContractId'
  | 'platformRevision'
  | 'name'
  | 'status'
  | 'priceMinor'
  | 'unitPriceMinor'
  | 'deliveryMinor'
  | 'lineChargesMinor'
  | 'lineQuantities'
  | 'currency'
  | 'interval'
  | 'intervalCount'
  | 'anchorAt'
  | 'anchorCycle'
  | 'cycleIndex'
  | 'nextCycle'
  | 'nextBillingAt'
  | 'platformNextBillingAt'
  | 'maxCycles'
  | 'trialEndsAt'
  | 'pausedAt'
  | 'resumesAt'
  | 'cancelledAt'
  | 'cancelReason'
  | 'createdAt'
  | 'receiverMemberId'
  | 'giftedAt'
  | 'platformPaymentMethodId'
> & { originOrderId: number | null; paymentMethod: PaymentMethod | null }

/**
 * Inserts new subscriptions, due at their next date: for billing, or to expire where all cycles are paid. A contract that has a
 * subscription already is left as it is.
 */
export async function insertSubscriptions(ctx: Ctx, rows: NewSubscription[]): Promise<void> {
  const { pastTimezones } = await storeContext(ctx)
  await ctx.tx.run(sql`
    insert into subscriptions (store_id, member_id, plan_id, plan_version, platform_contract_id, platform_revision, name, status,
      price_minor, unit_price_minor, delivery_minor, line_charges_minor, line_quantities, currency, interval, interval_count, anchor_at, anchor_cycle, cycle_index, cycles_paid, next_cycle, next_billing_at,
      billing_due_at, platform_next_billing_at, max_cycles, trial_ends_at, paused_at, resumes_at, cancelled_at,
      cancel_reason, origin_order_id, payment_method, platform_payment_method_id, receiver_member_id, gifted_at, created_at, updated_at, timezone_rebases)
    select ${ctx.storeId}, t.member_id, t.plan_id, t.plan_version, t.contract, t.revision, t.name, t.status, t.price, t.unit_price, t.delivery, t.line_charges::bigint[], t.line_quantities::int[], t.currency, t.interval,
           t.interval_count, t.anchor_at, t.anchor_cycle, t.cycle_index, t.cycle_index, t.next_cycle,
           case when t.cycle_index >= t.max_cycles then null else t.next_billing_at end, t.next_billing_at,
           t.platform_date, t.max_cycles, t.trial_ends_at, t.paused_at, t.resumes_at, t.cancelled_at, t.cancel_reason,
           t.origin_order_id, t.payment_method::jsonb, t.method_id, t.receiver, t.gifted_at, t.created_at, ${ctx.now}, ${pastTimezones.length}::int
      from unnest(${rows.map((s) => s.memberId)}::bigint[], ${rows.map((s) => s.planId)}::bigint[],
                  ${rows.map((s) => s.planVersion)}::int[],
                  ${rows.map((s) => s.platformContractId)}::text[], ${rows.map((s) => s.platformRevision)}::text[],
                  ${rows.map((s) => s.name)}::text[], ${rows.map((s) => s.status)}::text[],
                  ${rows.map((s) => s.priceMinor)}::bigint[], ${rows.map((s) => s.unitPriceMinor)}::bigint[],
                  ${rows.map((s) => s.deliveryMinor)}::bigint[],
                  ${rows.map((s) => arrayText(s.lineChargesMinor))}::text[], ${rows.map((s) => arrayText(s.lineQuantities))}::text[],
                  ${rows.map((s) => s.currency)}::text[],
                  ${rows.map((s) => s.interval)}::text[], ${rows.map((s) => s.intervalCount)}::int[],
                  ${rows.map((s) => s.anchorAt)}::timestamptz[], ${rows.map((s) => s.anchorCycle)}::int[],
                  ${rows.map((s) => s.cycleIndex)}::int[], ${rows.map((s) => s.nextCycle)}::int[],
                  ${rows.map((s) => s.nextBillingAt)}::timestamptz[],
                  ${rows.map((s) => s.platformNextBillingAt)}::timestamptz[], ${rows.map((s) => s.maxCycles)}::int[],
                  ${rows.map((s) => s.trialEndsAt)}::timestamptz[], ${rows.map((s) => s.pausedAt)}::timestamptz[],
                  ${rows.map((s) => s.resumesAt)}::timestamptz[], ${rows.map((s) => s.cancelledAt)}::timestamptz[],
                  ${rows.map((s) => s.cancelReason)}::text[],
                  ${rows.map((s) => s.originOrderId)}::bigint[],
                  ${rows.map((s) => s.paymentMethod && JSON.stringify(s.paymentMethod))}::text[],
                  ${rows.map((s) => s.platformPaymentMethodId)}::text[],
                  ${rows.map((s) => s.receiverMemberId)}::bigint[], ${rows.map((s) => s.giftedAt)}::timestamptz[],
                  ${rows.map((s) => s.createdAt)}::timestamptz[])
             as t(member_id, plan_id, plan_version, contract, revision, name, status, price, unit_price, delivery, line_charges, line_quantities, currency, interval, interval_count, anchor_at,
                  anchor_cycle, cycle_index, next_cycle, next_billing_at, platform_date, max_cycles, trial_ends_at, paused_at,
                  resumes_at, cancelled_at, cancel_reason, origin_order_id, payment_method, method_id, receiver, gifted_at, created_at)
     order by t.created_at, t.contract
    on conflict (store_id, platform_contract_id) do nothing`)
}
