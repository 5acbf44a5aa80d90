import { Type } from 'typebox'
import { setRewardIntegration } from '#exports'
import type { Surface } from '../../shared/surface.ts'
import { boolean } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { IntegrationBody, presentIntegration } from './present-integration.ts'

/** POST /stores/{store}/reward-integrations */
export function setIntegrationRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/reward-integrations',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'setRewardIntegration',
        summary: 'Add or change an integration of reward points',
        description:
          'While it is active, `/data/members` has the field `<key>_points` on every row. What is left out of a known one stays.',
        params: StoreParams,
        body: Type.Object({
          key: Type.String({
            maxLength: 40,
            description: 'lower-case letters, digits and _, beginning with a letter, at most 40 characters',
            meaning: 'Its name in the field of members',
            examples: ['smile']
          }),
          active: boolean('Whether rows of members have the field; true at first'),
          shown: boolean('Whether the shop shows the balances in its storefront; true at first')
        }),
        response: { 200: IntegrationBody }
      }
    },
    (request) => {
      const { key, active, shown } = request.body
      return request.inStore(async (ctx) =>
        presentIntegration(await setRewardIntegration(ctx, { key, isActive: active ?? null, isShown: shown ?? null }))
      )
    }
  )
}
