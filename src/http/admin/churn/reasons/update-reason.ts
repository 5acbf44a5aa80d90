import { Type } from 'typebox'
import { REASON_ALIASES, updateReason } from '#churn'
import { notBlank } from '../../../shared/not-blank.ts'
import type { Surface } from '../../../shared/surface.ts'
import { boolean } from '../../fields.ts'
import { StoreParams } from '../../store.ts'
import { presentReason, ReasonBody } from './present-reason.ts'

/** PATCH /stores/{store}/churn/reasons/{reason} */
export function updateReasonRoute(admin: Surface): void {
  admin.patch(
    '/stores/:store/churn/reasons/:reason',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'updateCancellationReason',
        summary: 'Change a cancellation reason',
        description:
          'What is left out stays. One that is switched off is no longer offered to customers; a cancellation by a program may still give it.',
        params: Type.Object({
          ...StoreParams.properties,
          reason: Type.String({ description: `one of ${REASON_ALIASES.join(', ')}`, examples: ['too_expensive'] })
        }),
        body: Type.Object({
          title: Type.Optional(
            notBlank(100, { meaning: 'What customers choose', examples: ['It costs more than I can spend'] })
          ),
          description: Type.Optional(
            Type.Union([Type.String({ minLength: 1, maxLength: 500 }), Type.Null()], {
              description: 'a text of 1 to 500 characters, or null',
              meaning: 'What customers read below it; null for nothing',
              examples: ['We may have an offer for you.']
            })
          ),
          position: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 100,
              description: 'a whole number from 1 to 100',
              meaning: 'Reasons with a lower one come first; they are at 10, 20 … 90 at first',
              examples: [5]
            })
          ),
          enabled: boolean('Whether customers can choose it; true at first')
        }),
        response: { 200: ReasonBody }
      }
    },
    async (request) => {
      const { enabled: isOn, ...change } = request.body
      const { reason } = request.params
      return presentReason(
        await request.inStore((ctx) => updateReason(ctx, reason, { ...change, ...(isOn !== undefined && { isOn }) }))
      )
    }
  )
}
