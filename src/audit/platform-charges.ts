import { type Ctx, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import type { PlatformCharge } from '#platform'
import type { Finding } from './run-rules.ts'

/** The one rule that needs more than our tables: what the platform itself lists as charged. */
export const platformChargesAgree = {
  name: 'platform_charges_agree',
  severity: 'finding',
  help:
    'The platform has an order of a charge that we do not know as paid, or the other way round; or it has several orders for one ' +
    'period of a contract: someone was charged twice. Refund what is too much. Of a store that is no sandbox the charges of the last ' +
    '60 days are read, the newest first, as far as that takes 20 seconds and 40 calls; `not_checked` says what was not read.'
} as const

/**
 * Every renewal that the platform charged is a successful attempt of ours, and the other way round; and no period of a contract has
 * two that are not refunded. It is the same payment whoever requested it: one that the shop's staff charged has a key that is not
 * ours. An attempt that is pending here may be charged there already. `theirs` are all charges, or those since `readFrom`; what is a
 * success here and is not among them is `missing`.
 */
export async function compareCharges(
  ctx: Ctx,
  theirs: PlatformCharge[],
  readFrom: Temporal.Instant | null = null
): Promise<{ findings: Finding[]; missing: OurCharge[] }> {
  const ours = await listCharges(ctx)
  const byAttempt = new Map(ours.flatMap((c) => (c.platformAttemptId === null ? [] : [[c.platformAttemptId, c]])))
  const byKey = new Map(ours.flatMap((c) => (c.platformAttemptId === null ? [[c.idempotencyKey, c]] : [])))
  const matched = new Set<OurCharge>()
  const findings: Finding[] = []
  const add = (subject: string, message: string) =>
    findings.push({ check: platformChargesAgree.name, subject, message })
  for (const charge of theirs) {
    const subject = `contract ${charge.contractId}`
    const known = byAttempt.get(charge.attemptId) ?? byKey.get(charge.idempotencyKey)
    if (known) matched.add(known)
    else if (!charge.isUndone)
      add(subject, `was charged under ${charge.idempotencyKey}, which we do not have as a success`)
    if (known && known.amountMinor !== charge.amountMinor) {
      add(subject, `was charged ${charge.amountMinor}, we have ${known.amountMinor} (minor units)`)
    }
  }
  const knownPeriods = theirs.map((charge) => {
    const known = byAttempt.get(charge.attemptId)
    // Whoever else charged it may have given it any time of the period.
    return known && known.idempotencyKey !== charge.idempotencyKey ? { ...charge, periodAt: known.cycleAt } : charge
  })
  for (const { contractId, periodAt, orderIds } of chargedAgain(knownPeriods)) {
    add(
      `contract ${contractId}`,
      `was charged ${orderIds.length} times for the period of ${periodAt}: orders ${orderIds.join(', ')}`
    )
  }
  const isRead = ({ submittedAt }: OurCharge) =>
    readFrom === null || (submittedAt !== null && Temporal.Instant.compare(submittedAt, readFrom) > 0)
  const missing = ours.filter((charge) => charge.status !== 'pending' && !matched.has(charge) && isRead(charge))
  return { findings, missing }
}

/** A success that the platform does not have. */
export const notCharged = ({ idempotencyKey }: OurCharge): Finding => ({
  check: platformChargesAgree.name,
  subject: idempotencyKey,
  message: 'is a success here, and the platform has no charge for it'
})

/** The periods that more than one charge has paid, as the platform's orders have it, with those orders. */
function chargedAgain(charges: PlatformCharge[]): { contractId: string; periodAt: string; orderIds: string[] }[] {
  const ofPeriod = Map.groupBy(
    charges.filter(({ periodAt, isUndone }) => periodAt !== null && !isUndone),
    ({ contractId, periodAt }) => `${contractId} ${periodAt}`
  )
  return [...ofPeriod.entries()]
    .filter(([, paid]) => paid.length > 1)
    .map(([period, paid]) => {
      const [contractId, periodAt] = period.split(' ') as [string, string]
      return { contractId, periodAt, orderIds: paid.map(({ orderId }) => orderId) }
    })
}

const OurCharge = row({
  idempotencyKey: text,
  platformAttemptId: nullable(text),
  amountMinor: int,
  status: oneOf('success', 'pending'),
  cycleAt: nullable(instant),
  submittedAt: nullable(instant)
})
export type OurCharge = RowOf<typeof OurCharge>

/** Our renewals that succeeded, and those whose outcome is not known yet. */
function listCharges(ctx: Ctx): Promise<OurCharge[]> {
  return ctx.tx.many(
    OurCharge,
    sql`
    select idempotency_key, platform_attempt_id, amount_minor, status, cycle_at, submitted_at from billing_attempts
     where store_id = ${ctx.storeId} and status in ('success', 'pending') order by id`
  )
}
