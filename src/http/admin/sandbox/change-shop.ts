import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const ChangedShop = Type.Object({
  name: Type.Optional(Type.String({ description: 'Its new name', examples: ['Books'] })),
  timezone: Type.Optional(Type.String({ description: 'Its new time zone', examples: ['Europe/Vienna'] }))
})

/** POST /stores/{store}/sandbox/shop */
export function changeShopRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/shop',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'changeSandboxShop',
        summary: 'Change the shop',
        description: 'Gives the sandbox shop another name or time zone.',
        params: StoreParams,
        body: Type.Object({
          name: Type.Optional(text(200, undefined, { examples: ['Books'] })),
          timezone: Type.Optional(text(100, 'an IANA time zone such as Europe/Vienna', { examples: ['Europe/Vienna'] }))
        }),
        response: { 200: ChangedShop }
      }
    },
    async (request) => {
      await play(deps, request, ({ storeId }) => deps.sandbox.changeShop(storeId, request.body))
      return request.body
    }
  )
}
