// The rows of the Data API computed from the tables in plain TypeScript, one row and one field after the other: slowly, and without SQL.

import { decimalOf } from '#kit/money'
import { type Ctx, json, row } from '#kit/postgres'
import { isCreditCode } from '#spending'
import type { EndpointName } from './endpoint.ts'
import type { ExportedRow } from './read-plan.test-helper.ts'

type Raw = { [column: string]: any }

const TABLES = [
  'members',
  'plans',
  'subscriptions',
  'orders',
  'billing_attempts',
  'order_links',
  'order_effects',
  'first_orders',
  'platform_refunds',
  'order_disputes',
  'contract_activities',
  'credit_entries',
  'credit_lots',
  'credit_reservations'
] as const
type Tables = Record<(typeof TABLES)[number], Raw[]>

export type Shop = { timezone: string; currency: string; gid: string; now: Temporal.Instant }

/** Every row of the tables that the endpoints read, as JSON. */
export async function readTables(ctx: Ctx): Promise<Tables> {
  const tables: Partial<Tables> = {}
  for (const table of TABLES) {
    const rows = await ctx.tx.many(row({ whole: json<Raw>() }), {
      name: `whole_${table}`,
      text: `select to_jsonb(t) as whole from ${table} t where store_id = $1`,
      values: [ctx.storeId]
    })
    tables[table] = rows.map(({ whole }) => whole)
  }
  return tables as Tables
}

const at = (text: string) => Temporal.Instant.from(text)
const latest = (a: string, b: string) => Temporal.Instant.compare(at(b), at(a))
/** Oldest first, ids break ties. */
const byTime = (column: string) => (a: Raw, b: Raw) => -latest(a[column], b[column]) || a.id - b.id
const total = (rows: Raw[], column = 'amount_minor') => rows.reduce((sum, row) => sum + row[column], 0)
const oneLine = (text: string) => text.replaceAll(/[\n\r]/g, ' ')

/** What a contract's status is after an entry of its history. */
const STATUSES: Record<string, string> = {
  created: 'ACTIVE',
  resumed: 'ACTIVE',
  reactivated: 'ACTIVE',
  paused: 'PAUSED',
  cancelled: 'CANCELLED',
  expired: 'EXPIRED',
  failed: 'FAILED'
}

/** All rows of an endpoint, in its order. */
export function expectedRows(name: EndpointName, tables: Tables, shop: Shop): ExportedRow[] {
  const zoned = (text: string) => at(text).toZonedDateTimeISO(shop.timezone).toPlainDateTime()
  const minute = (text: string | null | undefined) =>
    text ? zoned(text).toString({ smallestUnit: 'minute' }).replace('T', ' ') : ''
  const day = (text: string | null | undefined) => (text ? zoned(text).toPlainDate().toString() : '')
  const money = (minor: number | null, currency = shop.currency) => (minor === null ? '' : decimalOf(minor, currency))
  const memberOf = new Map(tables.members.map((m) => [m.id, m]))
  const orderOf = new Map(tables.orders.map((o) => [o.id, o]))
  const planOf = new Map(tables.plans.map((p) => [p.id, p]))
  const nameOf = (member: Raw | undefined) => [member?.first_name, member?.last_name].filter(Boolean).join(' ')
  const ids = (rows: Raw[]) => rows.toSorted((a, b) => a.id - b.id)

  const isFailure = (t: Raw) =>
    t.status === 'failed' && t.late_success_at === null && !['voided', 'superseded'].includes(t.error_code)
  const cycle = (t: Raw) =>
    tables.billing_attempts.filter((a) => a.subscription_id === t.subscription_id && a.cycle_index === t.cycle_index)
  const reasons = (failed: Raw[]) =>
    failed
      .filter(isFailure)
      .toSorted(byTime('completed_at'))
      .map((t) => oneLine(t.error_message ?? t.error_code))
      .join('\n')
  const lastFinished = (attempts: Raw[]) =>
    attempts
      .filter((t) => t.completed_at !== null && !['voided', 'superseded'].includes(t.error_code))
      .toSorted(byTime('completed_at'))
      .at(-1)

  const reversals = (e: Raw) => tables.credit_entries.filter((r) => r.reverses_id === e.id)
  const isCancelled = (e: Raw) => {
    const back = reversals(e)
    return e.type === 4 && back.some((r) => r.mark === 'order_cancelled') && total(back) + e.amount_minor >= 0
  }
  const cancelled = new Set(tables.credit_entries.filter(isCancelled).map((e) => e.id))
  const shown = ids(tables.credit_entries).filter(
    (e) => !cancelled.has(e.id) && !(e.type === 5 && cancelled.has(e.reverses_id))
  )

  switch (name) {
    case 'members':
      return ids(tables.members)
        .filter((m) => m.status !== null && m.merged_into === null)
        .map((m) => ({
          shopify_customer_gid: m.platform_customer_id,
          email: m.email ?? '',
          balance_from_svc: money(total(tables.credit_entries.filter((e) => e.member_id === m.id)))
        }))
    case 'credits-history':
      return shown.toReversed().map((e) => ({
        shopify_customer_gid: memberOf.get(e.member_id)!.platform_customer_id,
        body: e.reason,
        value: money(e.amount_minor),
        unit: 'money',
        status: e.amount_minor > 0 ? 0 : 1,
        created_at: minute(e.created_at),
        ...(e.type === 4 ? { order_name: orderOf.get(e.order_id)?.name ?? '' } : {})
      }))
    case 'store-credits':
      return shown.map((e) => {
        const order = orderOf.get(e.order_id)
        return {
          shopify_customer_gid: memberOf.get(e.member_id)!.platform_customer_id,
          type: e.type,
          message: e.reason,
          value: money(e.amount_minor),
          redeemed_from_svc: e.type === 4 ? money(-e.amount_minor) : '',
          order_gid: order ? `${shop.gid}Order/${order.platform_order_id}` : '',
          created_at: day(e.created_at),
          used_in: e.type === 4 ? (order?.channel ?? order?.source_name ?? '') : ''
        }
      })
    case 'cancellation-reasons':
      return ids(tables.contract_activities)
        .filter((a) => a.kind === 'cancelled' || a.kind === 'failed')
        .map((a) => {
          const payer = memberOf.get(tables.subscriptions.find((s) => s.id === a.subscription_id)!.member_id)!
          return {
            shopify_customer_gid: payer.platform_customer_id,
            customer_email: payer.email ?? '',
            subscription_plan_name: a.plan_group_name ?? a.plan_name,
            cancel_date: minute(a.occurred_at),
            cancel_reason: a.refs.reason === 'other' && a.notes ? a.notes : a.refs.reason
          }
        })
    case 'subscriptions':
      return ids(tables.subscriptions).map((s) => {
        const payer = memberOf.get(s.member_id)!
        const last = lastFinished(tables.billing_attempts.filter((t) => t.subscription_id === s.id))
        return {
          shopify_customer_gid: payer.platform_customer_id,
          customer_email: payer.email ?? '',
          customer_name: nameOf(payer),
          shopify_contract_id: s.platform_contract_id,
          status: s.status.toUpperCase(),
          type: s.name,
          price: money(s.price_minor, s.currency),
          currency: s.currency,
          start_date: minute(s.created_at),
          cancelled_date: minute(s.cancelled_at),
          last_charge_date: minute(last?.completed_at),
          last_charge_status: last ? (isFailure(last) ? 'Failed' : 'Successful') : '',
          next_charge_date: minute(nextCharge(s, shop.timezone)),
          interval_name: s.interval.toUpperCase(),
          interval_count: s.interval_count,
          churn_offer_status: '',
          offer_type: '',
          price_with_offer: '',
          offer_accepted_date: '',
          offer_cancel_date: ''
        }
      })
    case 'orders':
      return ids(tables.orders).map((o) => {
        const member = memberOf.get(o.member_id)
        const effects = tables.order_effects.find((e) => e.order_id === o.id)
        const first = tables.first_orders.find((f) => f.member_id === o.member_id)
        const refund = tables.platform_refunds
          .filter((r) => r.order_id === o.id)
          .toSorted(byTime('refunded_at'))
          .at(-1)
        const dispute = tables.order_disputes
          .filter((d) => d.order_id === o.id)
          .toSorted(byTime('initiated_at'))
          .at(-1)
        const entries = tables.credit_entries.filter((e) => e.order_id === o.id)
        const deductions = entries.filter((e) => [6, 13].includes(e.type))
        const deducted = deductions
          .filter((e) => e.amount_minor < 0)
          .toSorted(byTime('created_at'))
          .at(-1)
        const codes = (o.coupons ?? []).filter(({ code }: { code: string }) => !isCreditCode(code))
        const paid = tables.order_links
          .filter((l) => l.order_id === o.id && l.attempt_id !== null)
          .map((l) => tables.billing_attempts.find((t) => t.id === l.attempt_id)!)
        const failed = paid.flatMap(cycle).filter(isFailure)
        return {
          shopify_customer_gid: member?.platform_customer_id ?? '',
          customer_email: o.email ?? member?.email ?? '',
          customer_name: o.customer_name ?? nameOf(member),
          order_id: `${shop.gid}Order/${o.platform_order_id}`,
          order_name: o.name,
          order_date: minute(o.processed_at),
          financial_status: o.financial_status,
          payment_gateway: o.gateway ?? '',
          refund_date: minute(refund?.refunded_at),
          customer_first_order_date: minute(first?.first_at),
          customer_first_vip_order_date: minute(first?.membership_at),
          customer_first_recharge_order_date: minute(first?.membership_renewal_at),
          checkout_type: effects?.checkout_type ?? '',
          checkout_type_first_order: first?.checkout_type ?? '',
          revenue: money(o.total_minor, o.currency),
          tax: money(o.tax_minor, o.currency),
          currency: o.currency,
          order_tag: effects?.order_tag ?? '',
          coupon_code: o.coupons === null ? o.discount_codes.join(',') : codes.map((c: Raw) => c.code).join(','),
          coupon_code_amount: codes.length === 0 ? '' : money(total(codes, 'amountMinor'), o.currency),
          store_credit_used: money(-total(entries.filter((e) => [4, 5].includes(e.type))) || 0),
          autocharge_status: effects?.autocharge_status ?? '',
          dispute_status: dispute?.status ?? '',
          dispute_initiated_date: minute(dispute?.initiated_at),
          dispute_last_updated_date: minute(dispute?.reported_at),
          dispute_reason: dispute?.reason ?? '',
          brand: o.brand ?? '',
          store_credit_deducted: deducted ? money(-total(deductions) || 0) : '',
          deduction_date: minute(deducted?.created_at),
          sales_channel: o.channel ?? o.source_name ?? '',
          auto_charge_failed_count: failed.length,
          auto_charge_failure_reasons: reasons(failed),
          customer_first_ps_order_date: minute(first?.product_at),
          customer_first_ps_recharge_order_date: minute(first?.product_renewal_at),
          country_code: o.country_code ?? '',
          province: o.province ?? ''
        }
      })
    case 'customers':
      return ids(tables.members)
        .filter((m) => m.merged_into === null)
        .map((m) => {
          const held = tables.subscriptions.filter((s) => (s.receiver_member_id ?? s.member_id) === m.id)
          const isMembership = (s: Raw) => ['vip', 'elite'].includes(planOf.get(s.plan_id)?.type)
          const [vip, products] = [held.filter(isMembership), held.filter((s) => !isMembership(s))]
          const isLive = (s: Raw) => s.status === 'active' || s.status === 'paused'
          const active = vip.filter((s) => s.status === 'active')
          const live = active.length > 0 ? active : vip.filter((s) => s.status === 'paused')
          const ended = vip
            .filter((s) => !isLive(s))
            .toSorted(byTime('cancelled_at'))
            .at(-1)
          const paused = active.length > 0 ? undefined : live.toSorted((a, b) => a.id - b.id).at(-1)
          const isVip = live.some((s) => planOf.get(s.plan_id)!.type === 'vip')
          const entries = tables.credit_entries
            .filter((e) => e.member_id === m.id)
            .toSorted((a, b) => a.position - b.position)
          const of = (...types: number[]) => entries.filter((e) => types.includes(e.type))
          const forfeits = of(7, 8)
          const adjusted = of(2, 3, 9).filter((e) => e.type !== 9 || e.mark === null)
          const history = (rows: Raw[]) =>
            rows.map((e) => `${minute(e.created_at)} | ${money(e.amount_minor)} ${oneLine(e.reason)}`).join('\n')
          const lastCharge = (contracts: Raw[]) =>
            lastFinished(tables.billing_attempts.filter((t) => contracts.some((s) => s.id === t.subscription_id)))
          const failures = (contracts: Raw[]) => {
            const last = lastCharge(contracts)
            const isPaid = last && cycle(last).some((t) => t.status === 'success' || t.late_success_at !== null)
            return last && isFailure(last) && !isPaid ? reasons(cycle(last)) : ''
          }
          const reasonOf = (contracts: Raw[]) => {
            if (contracts.some(isLive)) return ''
            const last = contracts
              .filter((s) => ['cancelled', 'failed'].includes(s.status))
              .toSorted(byTime('cancelled_at'))
              .at(-1)
            return (last?.cancel_reason === 'other' && last.cancel_comment) || (last?.cancel_reason ?? '')
          }
          const newestWithAddress = tables.orders
            .filter((o) => o.member_id === m.id && (o.country_code !== null || o.province !== null))
            .toSorted(byTime('processed_at'))
            .at(-1)
          const latestCharge = lastCharge(held)
          return {
            shopify_customer_gid: m.platform_customer_id,
            customer_email: m.email ?? '',
            membership_type:
              live.length > 0 ? (isVip ? 'VIP' : 'Elite') : products.some(isLive) ? 'Product Subscription' : 'PAYG',
            current_status:
              active.length > 0 ? 'ACTIVE' : live.length > 0 ? 'PAUSED' : (ended?.status.toUpperCase() ?? ''),
            date_paused: minute(paused?.paused_at),
            date_of_last_charge: minute(of(1).toSorted(byTime('created_at')).at(-1)?.created_at),
            membership_start_date: day(vip.toSorted(byTime('created_at'))[0]?.created_at),
            membership_end_date: day(ended?.cancelled_at),
            available_current_balance: money(availableOf(m, entries, tables, shop.now)),
            total_store_credits_charged: money(total(of(1, 10, 11, 12))),
            total_store_credit_used: money(-total(of(4, 5)) || 0),
            total_store_credit_disputed: money(-total(of(13)) || 0),
            total_store_credit_refunded: money(-total(of(6)) || 0),
            total_store_credit_forfeit: money(-total(forfeits) || 0),
            last_store_forfeit_date: minute(forfeits.at(-1)?.created_at),
            store_forfeit_history: history(forfeits),
            total_store_credit_reconciled: money(total(of(2, 3, 9))),
            last_store_reconciled_date: minute(adjusted.at(-1)?.created_at),
            store_reconciled_history: history(adjusted),
            country_code: newestWithAddress?.country_code ?? '',
            province: newestWithAddress?.province ?? '',
            auto_charge_failed: latestCharge ? isFailure(latestCharge) : false,
            failure_reasons: failures(vip),
            cancel_reason: reasonOf(vip),
            ps_failure_reasons: failures(products),
            ps_cancel_reason: reasonOf(products),
            ps_total_contracts: products.length,
            ps_active_contracts: products.filter((s) => s.status === 'active').length,
            vip_status_history: tables.contract_activities
              .filter((a) => a.kind in STATUSES && vip.some((s) => s.id === a.subscription_id))
              .toSorted(byTime('occurred_at'))
              .map((a) => `${minute(a.occurred_at)} | ${STATUSES[a.kind]}`)
              .join('\n')
          }
        })
  }
}

/** The first date that is charged: of a paused contract that resumes by itself, the first of its series after that. */
function nextCharge(s: Raw, timezone: string): string | null {
  if (s.status === 'active') return s.next_billing_at
  if (s.status !== 'paused' || s.resumes_at === null) return null
  const anchor = at(s.anchor_at).toZonedDateTimeISO(timezone).toPlainDateTime()
  for (let n = s.next_cycle - s.anchor_cycle; ; n++) {
    const date = anchor.add({ [`${s.interval}s`]: n * s.interval_count }).toZonedDateTime(timezone)
    if (Temporal.Instant.compare(date.toInstant(), at(s.resumes_at)) > 0) return date.toInstant().toString()
  }
}

/** The balance less what open reservations hold, less what is past its date and held by none of them. */
function availableOf(member: Raw, entries: Raw[], tables: Tables, now: Temporal.Instant): number {
  const isPast = (text: string | null) => text !== null && Temporal.Instant.compare(at(text), now) <= 0
  const open = tables.credit_reservations.filter(
    (r) => r.member_id === member.id && r.status === 'reserved' && !isPast(r.expires_at)
  )
  const due = tables.credit_lots
    .filter((l) => l.member_id === member.id && isPast(l.expires_at))
    .map((l) => {
      const held = open.flatMap((r) => r.lots.map((id: number, i: number) => (id === l.entry_id ? r.minors[i] : 0)))
      return l.remaining_minor - held.reduce((sum: number, minor: number) => sum + minor, 0)
    })
  return Math.max(0, total(entries) - total(open) - due.reduce((sum, minor) => sum + minor, 0))
}
