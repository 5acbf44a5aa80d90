import type { Database } from '#kit/postgres'
import type { Connector } from '#platform'
import { storeNow } from '#stores'
import { type Allowance, allow, callWithin } from './platform-calls.ts'
import { compareCharges, countOf, notCharged, type OurCharge } from './platform-charges.ts'
import { CHARGE_LIMITS, type ChargeLimits, readCharges } from './read-charges.ts'
import type { Finding } from './run-rules.ts'

/** Of our successes that are not among the charges, so many are read by their ids. */
const MAX_READ_AGAIN = 100
/** So many of them in one call: less than what one document may ask for. */
const AT_ONCE = 40
const MAX_READ_AGAIN_CALLS = Math.ceil(MAX_READ_AGAIN / AT_ONCE)

/** `notChecked` says what of the platform was not looked at, and why; empty where that is nothing. */
export type AuditedCharges = { checked: number; findings: Finding[]; notChecked: string[] }

/** Compares a store's charges with its platform's, as far as they can be read within the limits. Changes nothing. */
export async function auditCharges(
  db: Database,
  storeId: number,
  connectorOf: (storeId: number) => Promise<Connector>,
  limits: ChargeLimits = CHARGE_LIMITS
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
  const began = await storeNow(db, storeId)
  const allowance = allow(limits)
  const used = { calls: 0 }
  const { charges, withheld, readFrom, notRead } = await readCharges(connector, began, ofPages(allowance), used)
  const { findings, missing, moreMissing, notChecked } = await db.inStore(storeId, (ctx) =>
    compareCharges(ctx, charges, { withheld, after: readFrom, until: began, limit: MAX_READ_AGAIN })
  )
  const again = await readAgain(connector, missing, allowance, used)
  return {
    checked: charges.length,
    findings: [...findings, ...again.findings],
    notChecked: [
      notRead,
      countOf(
        withheld.length,
        'charges on the platform may not be read by us: their orders are withheld, or parts of them'
      ),
      ...notChecked,
      countOf(again.unnamed, 'charges that are successes here have no id of the platform to ask for'),
      countOf(again.notShown, 'charges that are successes here were not found on the platform'),
      countOf(
        again.notAsked + moreMissing,
        `charges that are successes here were not among those of the platform, and were not asked for: ${again.why ?? `${MAX_READ_AGAIN} are asked for at most`}`
      )
    ].filter((text) => text !== null)
  }
}

/** What the pages may take: the rest is for what is missing on them, also where they would take all. */
const ofPages = ({ days, calls, ms, endAt }: Allowance): Allowance => ({
  days,
  calls: Math.max(1, calls - MAX_READ_AGAIN_CALLS),
  ms: (ms * 3) / 4,
  endAt: endAt - ms / 4
})

type ReadAgain = { findings: Finding[]; unnamed: number; notShown: number; notAsked: number; why: string | null }

/**
 * Reads successes by their ids that were not among the charges of the platform, within what is left of the limits: they may be
 * older there. One that the platform does not show proves nothing, since it may be withheld.
 */
async function readAgain(
  connector: Connector,
  missing: OurCharge[],
  allowance: Allowance,
  used: { calls: number }
): Promise<ReadAgain> {
  const known = missing.filter(({ platformAttemptId }) => platformAttemptId !== null)
  const read: ReadAgain = { findings: [], unnamed: missing.length - known.length, notShown: 0, notAsked: 0, why: null }
  for (let at = 0; at < known.length; at += AT_ONCE) {
    const batch = known.slice(at, at + AT_ONCE)
    const ids = batch.map((one) => one.platformAttemptId!)
    const found = await callWithin(allowance, used, () => connector.billing.findAttempts(ids, 'low'))
    if ('why' in found) return { ...read, notAsked: known.length - at, why: found.why }
    for (const one of batch) {
      const attempt = found.value.get(one.platformAttemptId!)
      if (!attempt) read.notShown++
      else if (attempt.state !== 'success') read.findings.push(notCharged(one))
    }
  }
  return read
}
