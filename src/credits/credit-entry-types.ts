import type { CreditEntryType } from '#resources'

/** The code of each type of entry, in the table and in the Data API. */
const CODES = {
  membership_charge: 1,
  manual_add: 2,
  manual_deduct: 3,
  redemption: 4,
  redemption_restored: 5,
  refund: 6,
  forfeit: 7,
  expired: 8,
  reconciled: 9,
  churn_offer: 10,
  loyalty_reward: 11,
  import: 12,
  dispute: 13
} as const satisfies Record<CreditEntryType, number>

export const codeOfCreditEntryType = (type: CreditEntryType): number => CODES[type]

const TYPES = new Map<number, CreditEntryType>(
  Object.entries(CODES).map(([type, code]) => [code, type as CreditEntryType])
)

/** The type of a code; the table's constraint allows no other codes. */
export function creditEntryTypeOf(code: number): CreditEntryType {
  return TYPES.get(code)!
}
