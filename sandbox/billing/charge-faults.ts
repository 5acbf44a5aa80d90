import { createHash } from 'node:crypto'

/** Scripted faults of a shop's charges: what a platform may do that protects nobody. Shares are of the charges, from 0 to 1. */
export type ChargeFaults = {
  /** A cycle that is paid is paid again under another key, where it is otherwise refused with INVOICE_ALREADY_PAID. */
  paysAgain?: boolean
  /** Keys are forgotten after so many minutes by the shop's clock, with 0 at once: the same key then charges again. */
  keyMinutes?: number
  /** Every edit of a contract numbers its cycles anew from 1, and no longer knows the earlier ones as paid. */
  renumbers?: boolean
  /** Never has a result. */
  never?: number
  /** Has its result 26 hours late. */
  late?: number
  /** Is reported as paid, and an hour later as failed; the order stays paid. */
  reversed?: number
  /** Is reported as failed, and an hour later as paid, each with a message. */
  corrected?: number
  /** Is reported as failed although it is paid; an hour later the platform has the right state, without a message. */
  reportedFailed?: number
  seed?: number
}

/**
 * What a platform may do that protects nobody, and what a correct client does not notice: every test and trial runs with it. Keys
 * are forgotten before an attempt is first checked.
 */
export const UNKIND: ChargeFaults = { paysAgain: true, keyMinutes: 5, renumbers: true }

/** The shares, with the outcome that each gives to charges that would simply succeed. */
export const CHARGE_SHARES = {
  never: 'never',
  late: 'late',
  reversed: 'reversed',
  corrected: 'corrected',
  reportedFailed: 'reported_failed'
} as const satisfies Partial<Record<keyof ChargeFaults, string>>

/** The outcome of a charge that would succeed; the same for the same seed and key. */
export function outcomeOfSuccess(faults: ChargeFaults | null, contractId: string, key: string): string {
  let roll =
    createHash('sha256')
      .update(`${faults?.seed ?? 0}:${contractId}:${key}`)
      .digest()
      .readUInt32BE(0) /
    2 ** 32
  for (const [name, outcome] of Object.entries(CHARGE_SHARES)) {
    roll -= faults?.[name as keyof typeof CHARGE_SHARES] ?? 0
    if (roll < 0) return outcome
  }
  return 'success'
}
