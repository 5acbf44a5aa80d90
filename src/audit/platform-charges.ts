import { type Ctx, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import type { PlatformCharge, WithheldCharge } from '#platform'
import type { Finding } from './run-rules.ts'

/** The one rule that needs more than our tables: what the platform itself lists as charged. */
export const platformChargesAgree = {
  name: 'platform_charges_agree',
  severity: 'finding',
  help:
    'The platform has an order of a charge that we do not know as paid, or the other way round; or it has several orders for one ' +
    'period of a contract: someone was charged twice. Refund what is too much. Of a store that is no sandbox the charges of the last ' +
    '60 days are read, the newest first, as far as that takes 20 seconds, 40 calls and half of the cost budget; `not_checked` says what was not read, and what may not be read by us.'
} as const

type Compared = {
  withheld?: WithheldCharge[]
  /** Ours that were sent between these times should be among theirs; all, where they are left out. */
  after?: Temporal.Instant
  until?: Temporal.Instant
  /** At most so many are returned as missing. */
  limit?: number
}

/**
 * Every renewal that the platform charged is a successful attempt of ours, and the other way round; and no period of a contract has
 * two that are not refunded. It is the same payment whoever requested it: one that the shop's staff charged has a key that is not
 * ours. An attempt that is pending here may be charged there already. `theirs` are all charges, or those of a time; what is a
 * success of that time here and is neither among them nor withheld is `missing`, and `moreMissing` counts what is above the limit. Of
 * ours no more is read than that: a store has millions.
 */
export async function compareCharges(
  ctx: Ctx,
  theirs: PlatformCharge[],
  { withheld = [], after, until, limit = MAX_MISSING }: Compared = {}
): Promise<{ findings: Finding[]; missing: OurCharge[]; moreMissing: number }> {
  const ours = await findCharges(ctx, [...theirs, ...withheld])
  const byAttempt = new Map(ours.flatMap((c) => (c.platformAttemptId === null ? [] : [[c.platformAttemptId, c]])))
  // A second payment under one key has another id.
  const byKey = new Map(ours.flatMap((c) => (c.platformAttemptId === null ? [[c.idempotencyKey, c]] : [])))
  const knownOf = (charge: WithheldCharge) => byAttempt.get(charge.attemptId) ?? byKey.get(charge.idempotencyKey)
  const matched = new Set([...theirs, ...withheld].flatMap((charge) => knownOf(charge)?.id ?? []))
  const findings: Finding[] = []
  const add = (subject: string, message: string) =>
    findings.push({ check: platformChargesAgree.name, subject, message })
  for (const charge of theirs) {
    const subject = `contract ${charge.contractId}`
    const known = knownOf(charge)
    if (!known && !charge.isUndone) {
      add(subject, `was charged under ${charge.idempotencyKey}, which we do not have as a success`)
    }
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
  const missing = await listMissing(ctx, [...matched], { after, until, limit })
  return { findings, missing, moreMissing: (missing[0]?.total ?? 0) - missing.length }
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

const ourCharge = {
  id: int,
  idempotencyKey: text,
  platformAttemptId: nullable(text),
  amountMinor: int,
  status: oneOf('success', 'pending'),
  cycleAt: nullable(instant)
}
const OurCharge = row(ourCharge)
export type OurCharge = RowOf<typeof OurCharge>

/** Our renewals that have these ids, or these keys and no id that is known: those that succeeded, and those whose outcome is not known yet. */
async function findCharges(ctx: Ctx, theirs: WithheldCharge[]): Promise<OurCharge[]> {
  if (theirs.length === 0) return []
  return ctx.tx.many(
    OurCharge,
    sql`
    with theirs as materialized (
      select * from unnest(${theirs.map((one) => one.attemptId)}::text[], ${theirs.map((one) => one.idempotencyKey)}::text[])
        as t(attempt, key)
    )
    select a.id, a.idempotency_key, a.platform_attempt_id, a.amount_minor, a.status, a.cycle_at
      from billing_attempts a
     where a.store_id = ${ctx.storeId} and a.status in ('success', 'pending')
       and (a.platform_attempt_id in (select attempt from theirs)
            or (a.platform_attempt_id is null and a.idempotency_key in (select key from theirs)))
     order by a.id`
  )
}

const MAX_MISSING = 100
const Missing = row({ ...ourCharge, total: int })

/** Our successes of a time that are not `matched`, oldest first, and in each row how many there are. */
function listMissing(
  ctx: Ctx,
  matched: number[],
  { after, until, limit }: Pick<Compared, 'after' | 'until'> & { limit: number }
): Promise<RowOf<typeof Missing>[]> {
  return ctx.tx.many(
    Missing,
    sql`
    select a.id, a.idempotency_key, a.platform_attempt_id, a.amount_minor, a.status, a.cycle_at, count(*) over () as total
      from billing_attempts a
     where a.store_id = ${ctx.storeId} and a.status = 'success'
       and (${after ?? null}::timestamptz is null or a.submitted_at > ${after ?? null}::timestamptz)
       and (${until ?? null}::timestamptz is null or a.submitted_at <= ${until ?? null}::timestamptz)
       and not exists (select from unnest(${matched}::bigint[]) as m(id) where m.id = a.id)
     order by a.id limit ${limit}`
  )
}
