import { refreshAllPasses } from '#wallet'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams, storeOf } from '../store.ts'
import { readWallet, WalletBody } from './present-wallet.ts'

/** POST /stores/{store}/wallet/refresh */
export function refreshWalletRoute(admin: Surface, { wake }: AdminDeps): void {
  admin.post(
    '/stores/:store/wallet/refresh',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'refreshWallet',
        summary: 'Bring all wallet passes up to date',
        description:
          'Compares every pass with what it is to show, and notifies the phones of those that differ: after a change of their name or colour. It runs in the background.',
        params: StoreParams,
        response: { 200: WalletBody }
      }
    },
    async (request) => {
      const wallet = await request.inStore(async (ctx) => {
        await refreshAllPasses(ctx)
        return readWallet(ctx)
      })
      wake(storeOf(request).storeId)
      return wallet
    }
  )
}
