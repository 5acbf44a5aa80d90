/** A dispute of an order as it is now; the time as the database writes it. */
export type DisputeState = {
  id: string
  type: string
  status: string
  amountMinor: number | null
  currency: string | null
  initiatedAt: string
}

/** The money is gone, whatever the dispute began as. */
export const isLost = ({ status }: Pick<DisputeState, 'status'>): boolean => status === 'lost' || status === 'accepted'
