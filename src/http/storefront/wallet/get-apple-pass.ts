import { Type } from 'typebox'
import { offerApplePass } from '#wallet'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { customerOf } from '../shoppers.ts'

/** GET /wallet/apple (spec 3, svc_wallet_pass_settings) */
export function getApplePassRoute(
  storefront: Surface,
  { db, vault, install }: Pick<HttpDeps, 'db' | 'vault' | 'install'>
): void {
  storefront.get(
    '/wallet/apple',
    {
      config: { allow: 'customer' },
      schema: {
        operationId: 'getApplePass',
        summary: 'Add the membership card to Apple Wallet',
        description:
          'The signed pass of the member who is logged in. A phone that opens it adds it to its wallet, and is notified when it changes. It is made at the first request.',
        produces: ['application/vnd.apple.pkpass'],
        response: {
          200: Type.String({ description: 'The signed pass: a zip archive', format: 'binary', examples: ['(binary)'] })
        }
      }
    },
    async (request, reply) => {
      const { store, customerId } = customerOf(request)
      const pass = await db.inStore(store.storeId, (ctx) =>
        offerApplePass(ctx, customerId, { vault, publicUrl: install.publicUrl() })
      )
      const { bytes, changedAt } = pass.sign()
      return reply
        .type('application/vnd.apple.pkpass')
        .header('content-disposition', 'attachment; filename="membership.pkpass"')
        .header('cache-control', 'private, no-store')
        .header('last-modified', new Date(changedAt.epochMilliseconds).toUTCString())
        .send(bytes as never)
    }
  )
}
