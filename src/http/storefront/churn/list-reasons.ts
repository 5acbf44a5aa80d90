import { Type } from 'typebox'
import { listReasons } from '#churn'
import { OrNull } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { shopOf } from '../shoppers.ts'
import type { ChurnDeps } from './deps.ts'

/** What a reason is, in the list of reasons and beside its offers. */
export const reasonFields = {
  id: Type.Integer({ description: 'Its number, the same in every store' }),
  title: Type.String({ description: 'What customers choose' }),
  description: OrNull(Type.String({ description: 'What customers read below it' })),
  alias: Type.String({ description: 'Its name for programs' })
}

export const EXAMPLE_REASON = { id: 1, title: 'It is too expensive', description: null, alias: 'too_expensive' }

/** GET /membership/churn/reasons: the first step of cancelling, without the offers, of which nobody has chosen any yet. */
export function listReasonsRoute(churn: Surface, { db }: Pick<ChurnDeps, 'db'>): void {
  churn.get(
    '/reasons',
    {
      config: { allow: 'read:churn' },
      schema: {
        operationId: 'listCancellationReasons',
        summary: 'List cancellation reasons',
        description: 'The reasons that are switched on, in their order. Nothing is counted as shown.',
        response: {
          200: Type.Array(
            Type.Object(reasonFields, {
              title: 'CancellationReason',
              description: 'Why somebody may cancel.',
              examples: [EXAMPLE_REASON]
            }),
            { description: 'The reasons.', examples: [[EXAMPLE_REASON]] }
          )
        }
      }
    },
    async (request) => {
      const reasons = await db.inStore(shopOf(request).storeId, listReasons)
      return reasons
        .filter(({ isOn }) => isOn)
        .map(({ id, title, description, alias }) => ({ id, title, description, alias }))
    }
  )
}
