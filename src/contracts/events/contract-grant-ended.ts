import { defineFact } from '#kit/outbox'
import { customerKey } from '#members'

/** A grant is over that a contract had: used up, or taken off by somebody else on the platform. */
export const contractGrantEnded = defineFact(
  'contract_grant.ended',
  ({ grantId, memberId, subscriptionId }: { grantId: number; memberId: number; subscriptionId: number }) => ({
    orderingKey: customerKey(memberId),
    data: {},
    refs: { grantId, memberId, subscriptionId }
  })
)
