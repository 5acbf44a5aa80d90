import { type Database, findStandbyRisk } from '#kit/postgres'
import { listStores, requireStore } from '#stores'
import { clocksAgree } from './clocks-agree.ts'
import { compareCharges, type PlatformCharge, platformChargesAgree } from './platform-charges.ts'
import { auditStore, type Finding } from './run-rules.ts'
import { standbysSynchronous } from './standbys-synchronous.ts'

/** `warnings`: nothing is wrong, but a person has to decide something. */
export type Diagnosis = Record<'findings' | 'warnings', (Finding & { store: string })[]> & {
  checked: Record<string, number>
}

/**
 * The auditor: checks every rule from the raw rows of one store, or of all, and changes nothing. Where the platform's own
 * list of charges can be read (the sandbox), ours must agree with it one to one.
 */
export async function diagnose(
  {
    db,
    chargesOf,
    clockProblem = () => null
  }: {
    db: Database
    chargesOf: (storeId: number) => Promise<PlatformCharge[]>
    /** What is wrong with the clock of the node that runs the auditor. */
    clockProblem?: () => string | null
  },
  reference?: string
): Promise<Diagnosis> {
  const stores = reference === undefined ? await listStores(db) : [await requireStore(db, reference)]
  const diagnosis: Diagnosis = { checked: { stores: stores.length }, findings: [], warnings: [] }
  const risk = await findStandbyRisk(db)
  if (risk)
    diagnosis.warnings.push({ store: '', check: standbysSynchronous.name, subject: 'the database', message: risk })
  const problem = clockProblem()
  if (problem) diagnosis.warnings.push({ store: '', check: clocksAgree.name, subject: 'this node', message: problem })
  for (const { storeId, domain, sandbox, status } of stores) {
    if (status === 'deleting') continue
    const { checked, findings, warnings } = await auditStore(db, storeId)
    if (sandbox) {
      const charges = await chargesOf(storeId)
      checked[platformChargesAgree.name] = charges.length
      findings.push(...(await db.inStore(storeId, (ctx) => compareCharges(ctx, charges))))
    }
    for (const [name, count] of Object.entries(checked)) {
      diagnosis.checked[name] = (diagnosis.checked[name] ?? 0) + count
    }
    diagnosis.findings.push(...findings.map((finding) => ({ store: domain, ...finding })))
    diagnosis.warnings.push(...warnings.map((warning) => ({ store: domain, ...warning })))
  }
  return diagnosis
}
