import { Type } from 'typebox'
import { listShopMetafields } from '#mirror'
import { OrNull } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams, storeOf } from '../store.ts'

const ShopMetafieldBody = Type.Object(
  {
    key: Type.String({ description: 'The key of the metafield, in the namespace `svc`' }),
    name: Type.String({ description: 'Its name' }),
    help: Type.String({ description: 'What it holds' }),
    wanted: OrNull(Type.String({ description: 'Its value as it is to be; null where it is not to be there' })),
    found: OrNull(Type.String({ description: 'Its value on the platform; null where it is not there' })),
    in_step: Type.Boolean({ description: 'Whether the platform has it as it is to be' })
  },
  {
    title: 'ShopMetafield',
    description: 'A metafield of the shop, as it is to be and as the platform has it.',
    examples: [
      {
        key: 'svc_agreement',
        name: 'Agreement',
        help: 'Whether the storefront asks customers to agree to the terms of a subscription before they buy it.',
        wanted: '{"agreement_enabled":1}',
        found: '{"agreement_enabled":0}',
        in_step: false
      }
    ]
  }
)

/** GET /stores/{store}/metafields/shop */
export function listShopMetafieldsRoute(admin: Surface, deps: AdminDeps): void {
  admin.get(
    '/stores/:store/metafields/shop',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listShopMetafields',
        summary: 'List the metafields of the shop',
        description:
          'Reads every metafield that the service keeps on the shop from the platform, also those that are as they are to be. It changes nothing.',
        params: StoreParams,
        response: {
          200: Type.Object({
            data: Type.Array(ShopMetafieldBody, { description: 'The metafields' }),
            waiting: Type.Boolean({
              description: 'Whether the shop is compared or written soon, so that what differs may be under way',
              examples: [false]
            }),
            problem: OrNull(
              Type.String({ description: 'Why a metafield of the shop cannot be written', examples: [null] })
            )
          })
        }
      }
    },
    async (request) => {
      const { metafields, isWaiting, problem } = await listShopMetafields(deps, storeOf(request).storeId)
      return {
        data: metafields.map(({ isInStep, ...shown }) => ({ ...shown, in_step: isInStep })),
        waiting: isWaiting,
        problem
      }
    }
  )
}
