import { type Static, Type } from 'typebox'
import { checkPullChange, type PullChange, setRewardIntegration } from '#exports'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { boolean } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'
import { IntegrationBody, presentIntegration } from './present-integration.ts'

const PullFields = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'the https address, of at most 2,048 characters and without the parameters limit and cursor',
        examples: ['https://rewards.example.com/balances']
      })
    ),
    every_minutes: Type.Optional(
      Type.Integer({ minimum: 5, maximum: 1440, description: 'an integer from 5 to 1440', examples: [60] })
    ),
    authorization: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 4000 }), Type.Null()], {
        description: 'the value of the header, or null for none',
        examples: ['Bearer a-secret']
      })
    )
  },
  { description: 'an object with url, every_minutes and authorization, or null' }
)

/** POST /stores/{store}/reward-integrations */
export function setIntegrationRoute(admin: Surface, { db, vault, addresses }: AdminDeps): void {
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
          shown: boolean('Whether the shop shows the balances in its storefront; true at first'),
          pull: Type.Optional(
            Type.Union([PullFields, Type.Null()], {
              description:
                'an object with url (https), every_minutes (5 to 1440) and authorization (a text or null), or null',
              meaning:
                'From where the service pulls balances: the URL, every how many minutes (60 at first), and the value of the header `Authorization`, which is kept encrypted and never shown. Another URL without `authorization` clears it. Null: nothing is pulled',
              examples: [
                { url: 'https://rewards.example.com/balances', every_minutes: 60, authorization: 'Bearer a-secret' }
              ]
            })
          )
        }),
        response: { 200: IntegrationBody }
      }
    },
    async (request) => {
      const { key, active, shown, pull: given } = request.body
      const { storeId } = storeOf(request)
      const pull = given && (await checkPullChange(db, storeId, changeOf(given), { addresses }))
      return request.inStore(async (ctx) =>
        presentIntegration(
          await setRewardIntegration(ctx, { key, isActive: active ?? null, isShown: shown ?? null, pull }, { vault })
        )
      )
    }
  )
}

const changeOf = ({ every_minutes, ...given }: Static<typeof PullFields>): PullChange => ({
  ...given,
  ...(every_minutes !== undefined && { everyMinutes: every_minutes })
})
