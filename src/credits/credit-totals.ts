import type { CreditEntryType } from '#resources'

/** The running totals of an account, in minor units. */
export type CreditTotals = {
  charged: number
  used: number
  refunded: number
  disputed: number
  forfeit: number
  reconciled: number
}

/** The total that counts each type of entry, and whether it counts what was added or what was deducted. */
const COUNTED = {
  membership_charge: ['charged', 1],
  churn_offer: ['charged', 1],
  loyalty_reward: ['charged', 1],
  import: ['charged', 1],
  redemption: ['used', -1],
  redemption_restored: ['used', -1],
  refund: ['refunded', -1],
  dispute: ['disputed', -1],
  forfeit: ['forfeit', -1],
  expired: ['forfeit', -1],
  manual_add: ['reconciled', 1],
  manual_deduct: ['reconciled', 1],
  reconciled: ['reconciled', 1]
} as const satisfies Record<CreditEntryType, [keyof CreditTotals, 1 | -1]>

export const noTotals = (): CreditTotals => ({
  charged: 0,
  used: 0,
  refunded: 0,
  disputed: 0,
  forfeit: 0,
  reconciled: 0
})

/** Counts an entry. charged - used - refunded - disputed - forfeit + reconciled stays the balance. */
export function countEntry(
  totals: CreditTotals,
  { type, amountMinor }: { type: CreditEntryType; amountMinor: number }
) {
  const [total, sign] = COUNTED[type]
  // Not -0, which the driver would write as such.
  totals[total] += amountMinor === 0 ? 0 : sign * amountMinor
}

/** Whether an entry is the customer's latest forfeit, or the latest manual adjustment; marked entries are neither. */
export const isForfeit = ({ type }: { type: CreditEntryType }) => COUNTED[type][0] === 'forfeit'
export const isReconciled = ({ type, mark }: { type: CreditEntryType; mark: string | null }) =>
  COUNTED[type][0] === 'reconciled' && mark === null
