/** What moves store credit. The code is that of the Data API and of the table; the word is that of the direct API. */
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
} as const

export type CreditType = keyof typeof CODES

export const CREDIT_TYPES = Object.keys(CODES) as CreditType[]

export const codeOfCreditType = (type: CreditType): number => CODES[type]

const TYPES = new Map<number, CreditType>(CREDIT_TYPES.map((type) => [CODES[type], type]))

/** The type behind a code of the table, whose constraint lets no other in. */
export function creditTypeOf(code: number): CreditType {
  return TYPES.get(code)!
}
