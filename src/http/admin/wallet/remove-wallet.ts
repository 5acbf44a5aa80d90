import { Type } from 'typebox'
import { removeWalletCredentials, walletOf } from '#wallet'
import type { Surface } from '../../shared/surface.ts'
import { StoreParams } from '../store.ts'
import { readWallet, WalletBody } from './present-wallet.ts'

/** DELETE /stores/{store}/wallet/{wallet} */
export function removeWalletRoute(admin: Surface): void {
  admin.delete(
    '/stores/:store/wallet/:wallet',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'removeWallet',
        summary: 'Remove what signs passes of a wallet',
        description: 'No pass of that wallet is given out or updated any more. Returns what is set.',
        params: Type.Object({
          ...StoreParams.properties,
          wallet: Type.String({ description: 'apple or google', examples: ['apple'] })
        }),
        response: { 200: WalletBody }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        await removeWalletCredentials(ctx, walletOf(request.params.wallet))
        return readWallet(ctx)
      })
  )
}
