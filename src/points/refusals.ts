import { Refusal } from '#kit/refusal'

/** Of somebody who wants to spend more points than they have. */
export function notEnoughPoints(
  { balance, pendingPoints }: { balance: number; pendingPoints: number },
  wanted: number
) {
  const pending = pendingPoints > 0 ? `, and ${pendingPoints} are pending` : ''
  const message = `needs ${wanted} points; the customer has ${balance}${pending}`
  return new Refusal('conflict', `This ${message}`, [{ field: 'points', code: 'invalid', message }])
}
