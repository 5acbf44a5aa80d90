import type { Database } from '#kit/postgres'
import type { Connector } from '#platform'
import { storeNow } from '#stores'
import { compareCharges, notCharged, type OurCharge } from './platform-charges.ts'
import { type ChargeLimits, MAX_READ_AGAIN, readCharges } from './read-charges.ts'
import type { Finding } from './run-rules.ts'

/** `notChecked` says what of the platform was not looked at, and why; empty where that is nothing. */
export type AuditedCharges = { checked: number; findings: Finding[]; notChecked: string[] }

/** Compares a store's charges with its platform's, as far as they can be read within the limits. Changes nothing. */
export async function auditCharges(
  db: Database,
  storeId: number,
  connectorOf: (storeId: number) => Promise<Connector>,
  limits?: ChargeLimits
): Promise<AuditedCharges> {
  let connector: Connector
  try {
    connector = await connectorOf(storeId)
  } catch (err) {
    return {
      checked: 0,
      findings: [],
      notChecked: [`charges on the platform were not looked at: ${(err as Error).message}`]
    }
  }
  const { charges, readFrom, notRead } = await readCharges(connector, await storeNow(db, storeId), limits)
  const { findings, missing } = await db.inStore(storeId, (ctx) => compareCharges(ctx, charges, readFrom))
  const again = await readAgain(connector, missing)
  return {
    checked: charges.length,
    findings: [...findings, ...again.findings],
    notChecked: [notRead, again.notRead].filter((text) => text !== null)
  }
}

/**
 * Reads successes by their ids that were not among the charges of the platform: they may be older there. One that the platform does not
 * show proves nothing, since it may be withheld.
 */
async function readAgain(
  connector: Connector,
  missing: OurCharge[]
): Promise<{ findings: Finding[]; notRead: string | null }> {
  if (missing.length === 0) return { findings: [], notRead: null }
  const some = missing.filter(({ platformAttemptId }) => platformAttemptId !== null).slice(0, MAX_READ_AGAIN)
  const found = some.length > 0 ? await connector.billing.findAttempts(some.map((one) => one.platformAttemptId!)) : null
  const attempts = found?.ok ? found.value : new Map<string, never>()
  const shown = some.filter(({ platformAttemptId }) => attempts.has(platformAttemptId!))
  const unseen = missing.length - shown.length
  return {
    findings: shown.filter((one) => attempts.get(one.platformAttemptId!)?.state !== 'success').map(notCharged),
    notRead: unseen === 0 ? null : `${unseen} charges that are successes here were not found on the platform`
  }
}
