import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { internalId, publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { CreditCodeBody } from '#resources'
import { type CreditCode, noSuchCode } from '#spending'

export const DEFAULT_MINUTES = 60
const MAX_MINUTES = 1440

/** For how long a code can be used. */
export const CodeDuration = Type.Integer({
  minimum: 1,
  maximum: MAX_MINUTES,
  description: `an integer from 1 to ${MAX_MINUTES} minutes`,
  meaning: `For how long the code can be used; ${DEFAULT_MINUTES} minutes by default`,
  examples: [60]
})

/** Names a code in a path. */
export const CodeId = Type.String({ description: 'the id of a store credit code', examples: ['scc_3'] })

/** The number of the code in a path. */
export function codeIdOf(given: string): number {
  const id = internalId('scc', given)
  if (id === null) throw noSuchCode(given)
  return id
}

/** A code is shown only when the platform has it: before, it would be refused at the checkout. */
export function presentCreditCode(code: CreditCode, currency: string): Static<typeof CreditCodeBody> {
  const isShown = code.status !== 'pending' && code.status !== 'failed'
  return {
    id: publicId('scc', code.id),
    customer_id: publicId('cust', code.memberId),
    status: code.status,
    code: isShown ? code.code : null,
    amount: numberOf(code.amountMinor, currency),
    used_amount: code.usedMinor === null ? null : numberOf(code.usedMinor, currency),
    currency,
    order_id: code.orderId === null ? null : publicId('ord', code.orderId),
    transaction_id: code.entryId === null ? null : publicId('sct', code.entryId),
    ended_by: code.status === 'used' ? null : code.endedBy,
    problem: code.problem,
    expires_at: isoOf(code.endsAt),
    created_at: isoOf(code.createdAt),
    ended_at: isoOrNull(code.endedAt)
  }
}
