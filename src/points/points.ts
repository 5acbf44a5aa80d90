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
