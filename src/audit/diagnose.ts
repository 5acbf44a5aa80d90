import { type Database, findStandbyRisk } from '#kit/postgres'
import type { Connector, PlatformCharge } from '#platform'
import { listStores, requireStore } from '#stores'
import { auditCharges } from './audit-charges.ts'
import { auditCredit, CREDIT_CALLS, platformCreditAgrees } from './audit-credit.ts'
import { auditMetafields, METAFIELD_CALLS, platformMetafieldsAgree } from './audit-metafields.ts'
import { auditTags, platformTagsAgree, TAG_CALLS } from './audit-tags.ts'
import { clocksAgree } from './clocks-agree.ts'
import { allow } from './platform-calls.ts'
import { compareCharges, countOf, notCharged, platformChargesAgree } from './platform-charges.ts'
import { CHARGE_LIMITS, type ChargeLimits } from './read-charges.ts'
import { auditStore, type Finding } from './run-rules.ts'
import { standbysSynchronous } from './standbys-synchronous.ts'

/** So long reading the platforms of all stores takes at most. */
export const ALL_PLATFORMS_MS = 120_000

/** And the tags of a sandbox store, its credit, and its metafields. */
const SANDBOX_MS = 300_000

/** `warnings`: nothing is wrong, but a person has to decide something. */
export type Diagnosis = Record<'findings' | 'warnings', (Finding & { store: string })[]> & {
  checked: Record<string, number>
  /** What could not be looked at, or was too much to look at. */
  not_checked: { store: string; check: string; message: string }[]
}

/**
 * The auditor: checks every rule from the raw rows of one store, or of all, and changes nothing. Our charges must agree with the
 * platform's one to one: all that the sandbox lists, and of another platform the newest that can be read within limits.
 */
export async function diagnose(
  {
    db,
    chargesOf,
    connectorOf,
    clockProblem = () => null,
    chargeLimits = CHARGE_LIMITS,
    allPlatformsMs = ALL_PLATFORMS_MS
  }: {
    db: Database
    /** All charges of a sandbox store, as the sandbox has them in its own tables. */
    chargesOf: (storeId: number) => Promise<PlatformCharge[]>
    connectorOf: (storeId: number) => Promise<Connector>
    /** What is wrong with the clock of the node that runs the auditor. */
    clockProblem?: () => string | null
    chargeLimits?: ChargeLimits
    /** For the platforms of all stores together. */
    allPlatformsMs?: number
  },
  reference?: string
): Promise<Diagnosis> {
  const stores = reference === undefined ? await listStores(db) : [await requireStore(db, reference)]
  const diagnosis: Diagnosis = { checked: { stores: stores.length }, findings: [], warnings: [], not_checked: [] }
  const risk = await findStandbyRisk(db)
  if (risk)
    diagnosis.warnings.push({ store: '', check: standbysSynchronous.name, subject: 'the database', message: risk })
  const problem = clockProblem()
  if (problem) diagnosis.warnings.push({ store: '', check: clocksAgree.name, subject: 'this node', message: problem })
  const startedAt = performance.now()
  // All platforms together, so that many stores do not make a run of the auditor endless.
  const limitsLeft = () => ({
    ...chargeLimits,
    ms: Math.max(0, Math.min(chargeLimits.ms, allPlatformsMs - (performance.now() - startedAt)))
  })
  for (const { storeId, domain, sandbox, status } of stores) {
    if (status === 'deleting') continue
    const { checked, findings, warnings } = await auditStore(db, storeId)
    let notChecked: (string | null)[]
    if (sandbox) {
      const charges = await chargesOf(storeId)
      const compared = await db.inStore(storeId, (ctx) => compareCharges(ctx, charges))
      checked[platformChargesAgree.name] = charges.length
      findings.push(...compared.findings, ...compared.missing.map(notCharged))
      notChecked = [
        ...compared.notChecked,
        countOf(compared.moreMissing, 'more charges that are successes here are not on the platform')
      ]
    } else {
      const audited = await auditCharges(db, storeId, connectorOf, limitsLeft())
      checked[platformChargesAgree.name] = audited.checked
      findings.push(...audited.findings)
      notChecked = audited.notChecked
    }
    for (const message of notChecked.filter((text) => text !== null)) {
      diagnosis.not_checked.push({ store: domain, check: platformChargesAgree.name, message })
    }
    // The sandbox is ours: it may be read whole.
    const allowed = (limits: ChargeLimits) =>
      allow(
        sandbox
          ? { days: 0, calls: Number.MAX_SAFE_INTEGER, ms: SANDBOX_MS }
          : { ...limits, ms: Math.min(limits.ms, limitsLeft().ms) }
      )
    const tags = await auditTags(db, storeId, connectorOf, allowed(TAG_CALLS), { isAll: sandbox })
    const credit = await auditCredit(db, storeId, connectorOf, allowed(CREDIT_CALLS), { isSandbox: sandbox })
    const metafields = await auditMetafields(db, storeId, connectorOf, allowed(METAFIELD_CALLS), { isSandbox: sandbox })
    for (const { rule, audited } of [
      { rule: platformTagsAgree, audited: tags },
      { rule: platformCreditAgrees, audited: credit },
      { rule: platformMetafieldsAgree, audited: metafields }
    ]) {
      checked[rule.name] = audited.checked
      findings.push(...audited.findings)
      for (const message of audited.notChecked) {
        diagnosis.not_checked.push({ store: domain, check: rule.name, message })
      }
    }
    for (const [name, count] of Object.entries(checked)) {
      diagnosis.checked[name] = (diagnosis.checked[name] ?? 0) + count
    }
    diagnosis.findings.push(...findings.map((finding) => ({ store: domain, ...finding })))
    diagnosis.warnings.push(...warnings.map((warning) => ({ store: domain, ...warning })))
  }
  return diagnosis
}
