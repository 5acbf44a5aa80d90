import { Type } from 'typebox'
import { setGoogleCredentials } from '#wallet'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { readWallet, WalletBody } from './present-wallet.ts'

/** POST /stores/{store}/wallet/google */
export function setGoogleWalletRoute(admin: Surface, { vault }: AdminDeps): void {
  admin.post(
    '/stores/:store/wallet/google',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'setGoogleWallet',
        summary: 'Set what signs links for Google Wallet',
        description: 'The key of the service account is kept encrypted and never shown. Returns what is set.',
        params: StoreParams,
        body: Type.Object({
          issuer_id: text(30, 'the number of the issuer', {
            meaning: 'Who issues the passes',
            examples: ['3388000000012345678']
          }),
          service_account: Type.String({
            minLength: 1,
            maxLength: 20_000,
            description: 'the JSON file of a service account, as a text',
            meaning: 'Its key signs the links and opens the API of Google Wallet',
            examples: ['{"type":"service_account",…}']
          })
        }),
        response: { 200: WalletBody }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const { issuer_id: issuerId, service_account: serviceAccount } = request.body
        await setGoogleCredentials(ctx, { issuerId, serviceAccount }, vault)
        return readWallet(ctx)
      })
  )
}
