/** A balance that is wanted. */
export type PointsAdjustment = {
  memberId: number
  balance: number
  reason: string
  /** Names the cause; an adjustment of the same cause happens once, however often it is told. */
  operationId: string
  orderId?: number | null
}

/** One line of the ledger. */
export type PointsEntry = {
  id: number
  memberId: number
  points: number
  balanceAfter: number
  reason: string
  orderId: number | null
  operationId: string
}
