import { type Static, Type } from 'typebox'
import { checkPullChange, type PullChange, setRewardIntegration } from '#exports'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { boolean } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'
import { IntegrationBody, presentIntegration } from './present-integration.ts'

/** Without a description, so that each field is checked by itself. */
const PullFields = Type.Object({
  url: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 2048 }), Type.Null()], {
      description: 'an https address of at most 2,048 characters, or null',
      meaning: 'From where the service pulls balances. Null: nothing is pulled any more',
      examples: ['https://rewards.example.com/balances']
    })
  ),
  every_minutes: Type.Optional(
    Type.Integer({
      minimum: 5,
      maximum: 1440,
      description: 'an integer from 5 to 1440',
      meaning: 'How often; 60 at first',
      examples: [60]
    })
  ),
  authorization: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 4000 }), Type.Null()], {
      description: 'a text of 1 to 4000 characters, or null',
      meaning:
        'The value of the header `Authorization`, which is kept encrypted and never shown. Another `url` without it clears it, so that it goes to no other address than it was given for; null clears it too',
      examples: ['Bearer a-secret']
    })
  )
})

/** POST /stores/{store}/reward-integrations */
export function setIntegrationRoute(admin: Surface, { db, vault, addresses }: AdminDeps): void {
  admin.post(
    '/stores/:store/reward-integrations',
    {
      config: { allow: 'develop' },
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
          shown: boolean('Whether the shop shows the balances in its storefront; true at first'),
          pull: Type.Optional(PullFields)
        }),
        response: { 200: IntegrationBody }
      }
    },
    async (request) => {
      const { key, active, shown, pull: given } = request.body
      const { storeId } = storeOf(request)
      const change = given && changeOf(given)
      const pull = change && (await checkPullChange(db, storeId, change, { addresses }))
      return request.inStore(async (ctx) =>
        presentIntegration(
          await setRewardIntegration(ctx, { key, isActive: active ?? null, isShown: shown ?? null, pull }, { vault })
        )
      )
    }
  )
}

function changeOf({ url, every_minutes, authorization }: Static<typeof PullFields>): PullChange | null {
  if (url === null) return null
  return {
    ...(url !== undefined && { url }),
    ...(every_minutes !== undefined && { everyMinutes: every_minutes }),
    ...(authorization !== undefined && { authorization })
  }
}
