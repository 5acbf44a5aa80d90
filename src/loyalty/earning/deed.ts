import type { Cause } from '../causes/cause.ts'

/** Something a customer did or is, that is to be counted. */
export type Deed = {
  memberId: number
  cause: Cause
  /** Identifies the cause: of one customer it counts once, however often it is reported. */
  key: string
  /** When it was, by the store's clock. */
  at: Temporal.Instant
  orderId: number | null
  /** Only this rule counts it; null for all. */
  ruleId: number | null
}

/** What a rule has counted of a cause. */
export type Count = {
  ruleId: number
  memberId: number
  cause: string
  /** Of the rule, when it counted it first. */
  version: number
  amount: number
  /** Of the customer's tier, when it was counted first. */
  multiplierHundredths: number
  orderId: number | null
  at: Temporal.Instant
}

/** One customer and one rule. */
export type Pair = { ruleId: number; memberId: number }
export const pairKey = ({ ruleId, memberId }: Pair): string => `${ruleId} ${memberId}`
