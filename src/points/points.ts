import type { TakeBackType } from '#credits'

/** A requested balance. */
export type PointsAdjustment = {
  memberId: number
  balance: number
  reason: string
  /** Identifies the cause: an adjustment with the same operation id is applied once, however often it is requested. */
  operationId: string
  orderId?: number | null
}

/** One entry of the ledger. */
export type PointsEntry = {
  id: number
  memberId: number
  points: number
  balanceAfter: number
  reason: string
  orderId: number | null
  operationId: string
}

/**
 * Of an entry that takes back or restores another: which one, and for what; what it could not take, or below zero what is no longer asked for; and
 * how much of the other is to be taken back in all.
 */
export type Reversal = {
  reversesId: number
  reversal: TakeBackType
  shortfallPoints: number
  reversedPoints: number
}
