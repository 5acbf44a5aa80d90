import { Type } from 'typebox'
import { isReasonAlias, REASON_ALIASES, type ReasonAlias } from '#churn'
import { invalidField } from '#kit/refusal'

/** `cancellation_reason` of a query. Other parameters are ignored: the app proxy adds its own. */
export const reasonParameter = (meaning: string) =>
  Type.Optional(
    Type.Union(
      REASON_ALIASES.map((alias) => Type.Literal(alias)),
      { description: `one of ${REASON_ALIASES.join(', ')}`, meaning, examples: ['too_expensive'] }
    )
  )

/** Reads it; null where it is not given. Refuses what is no reason. */
export function readReason(query: unknown): ReasonAlias | null {
  const { cancellation_reason: given } = query as { cancellation_reason?: unknown }
  if (given === undefined) return null
  if (typeof given === 'string' && isReasonAlias(given)) return given
  const accepts = Array.isArray(given) ? 'is given more than once' : `must be one of ${REASON_ALIASES.join(', ')}`
  throw invalidField('cancellation_reason', accepts)
}
