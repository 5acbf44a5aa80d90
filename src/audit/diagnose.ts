import type { Database } from '#kit/postgres'
import { listStores, requireStore } from '#stores'
import { audit, type Finding } from './commit-rules.ts'
import { auditMetrics } from './metric-rules.ts'
import { auditReconciling } from './reconciling.ts'
import { auditSchedules, listCharges } from './schedules.ts'
import { auditWarnings } from './warnings.ts'

/** A charge that the platform made: of which contract, by which of its attempts, under which key. */
export type PlatformCharge = { contractId: string; attemptId: string; idempotencyKey: string; amountMinor: number }

/** `warnings`: no rule is broken, and a person is wanted. */
export type Diagnosis = Record<'findings' | 'warnings', (Finding & { store: string })[]> & {
  checked: Record<string, number>
}

/**
 * The auditor: every rule that must hold, checked from the raw rows of one store or of all. Changes nothing. Where the
 * platform's own list of charges can be read (the sandbox), it must agree with ours one to one.
 */
export async function diagnose(
  deps: { db: Database; chargesOf: (storeId: number) => Promise<PlatformCharge[]> },
  reference?: string
): Promise<Diagnosis> {
  const { db } = deps
  const stores = reference === undefined ? await listStores(db) : [await requireStore(db, reference)]
  const checked: Record<string, number> = { stores: stores.length }
  const findings: Diagnosis['findings'] = []
  const warnings: Diagnosis['warnings'] = []
  const note = (store: string, part: { checked: Record<string, number>; findings: Finding[] }) => {
    for (const [name, count] of Object.entries(part.checked)) checked[name] = (checked[name] ?? 0) + count
    findings.push(...part.findings.map((finding) => ({ store, ...finding })))
  }
  for (const { storeId, domain, sandbox } of stores) {
    note(domain, await db.inStore(storeId, audit))
    note(domain, await db.inStore(storeId, auditSchedules))
    note(domain, await db.inStore(storeId, auditMetrics))
    note(domain, await db.inStore(storeId, auditReconciling))
    const found = await db.inStore(storeId, auditWarnings)
    warnings.push(...found.map((warning) => ({ store: domain, ...warning })))
    if (sandbox) note(domain, await compareCharges(deps, storeId))
  }
  return { checked, findings, warnings }
}

/**
 * Every renewal that the platform charged is a successful attempt of ours, and the other way round: the same payment, whoever
 * asked for it, so one that the shop's staff took first bears a key that is none of ours. One that is pending here may have been
 * charged there: that is what pending means.
 */
async function compareCharges(
  { db, chargesOf }: Parameters<typeof diagnose>[0],
  storeId: number
): Promise<{ checked: Record<string, number>; findings: Finding[] }> {
  const theirs = await chargesOf(storeId)
  const ours = await db.inStore(storeId, listCharges)
  const byAttempt = new Map(ours.flatMap((c) => (c.platformAttemptId === null ? [] : [[c.platformAttemptId, c]])))
  const byKey = new Map(ours.flatMap((c) => (c.platformAttemptId === null ? [[c.idempotencyKey, c]] : [])))
  const met = new Set<(typeof ours)[number]>()
  const check = 'platform_charges_agree'
  const findings: Finding[] = []
  for (const charge of theirs) {
    const subject = `contract ${charge.contractId}`
    const known = byAttempt.get(charge.attemptId) ?? byKey.get(charge.idempotencyKey)
    if (known) met.add(known)
    else
      findings.push({
        check,
        subject,
        message: `was charged under ${charge.idempotencyKey}, which we do not have as a success`
      })
    if (known && known.amountMinor !== charge.amountMinor) {
      findings.push({
        check,
        subject,
        message: `was charged ${charge.amountMinor}, we have ${known.amountMinor} (minor units)`
      })
    }
  }
  for (const charge of ours) {
    if (charge.status === 'pending' || met.has(charge)) continue
    findings.push({
      check,
      subject: charge.idempotencyKey,
      message: 'is a success here, and the platform has no charge for it'
    })
  }
  return { checked: { [check]: theirs.length }, findings }
}
