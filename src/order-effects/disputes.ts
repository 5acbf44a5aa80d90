/** A dispute of an order as it is now; the time as the database writes it. */
export type DisputeState = {
  id: string
  type: string
  status: string
  amountMinor: number | null
  currency: string | null
  initiatedAt: string
  /** Whether the shop was protected from fraud when it was first seen to count; null before that. */
  isProtected: boolean | null
}

/** What a dispute that is over may be: the money is gone, or it is back or was paid back. */
export const LOST = ['lost', 'accepted']
export const ENDED_WELL = ['won', 'prevented', 'charge_refunded']

/** The money is gone, whatever the dispute began as. */
export const isLost = ({ status }: Pick<DisputeState, 'status'>): boolean => LOST.includes(status)

/**
 * A chargeback counts while it is open, and when it is lost or accepted; an inquiry, for which no money has gone yet, only when it is lost
 * or accepted; what was won, prevented or refunded does not.
 */
export const isCounted = (dispute: Pick<DisputeState, 'type' | 'status'>): boolean =>
  isLost(dispute) || (dispute.type === 'chargeback' && !ENDED_WELL.includes(dispute.status))
