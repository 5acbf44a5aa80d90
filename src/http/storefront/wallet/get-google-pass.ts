import { Type } from 'typebox'
import { offerGooglePass } from '#wallet'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { customerOf } from '../shoppers.ts'

const GoogleLink = Type.Object(
  {
    save_url: Type.String({
      description: 'The link that adds the pass, signed; it names the pass, which Google has by then'
    })
  },
  {
    title: 'GoogleWalletLink',
    description: 'A link to Google Wallet.',
    examples: [{ save_url: 'https://pay.google.com/gp/v/save/eyJhbGciOiJSUzI1NiJ9.e30.c2ln' }]
  }
)

/** GET /wallet/google (spec 3, svc_wallet_pass_settings) */
export function getGooglePassRoute(
  storefront: Surface,
  { db, vault, walletUrls }: Pick<HttpDeps, 'db' | 'vault' | 'walletUrls'>
): void {
  storefront.get(
    '/wallet/google',
    {
      config: { allow: 'customer' },
      schema: {
        operationId: 'getGooglePass',
        summary: 'Add the membership card to Google Wallet',
        description:
          'A signed link by which the member who is logged in adds the card to Google Wallet. Google gets the card as of now: ask for the link when it is needed. 503 while Google does not take it.',
        response: { 200: GoogleLink }
      }
    },
    async (request, reply) => {
      const { store, customerId } = customerOf(request)
      const url = await offerGooglePass({ db, vault, walletUrls }, store.storeId, customerId)
      return reply.header('cache-control', 'private, no-store').send({ save_url: url })
    }
  )
}
