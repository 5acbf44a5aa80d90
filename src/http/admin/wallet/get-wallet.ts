import type { Surface } from '../../shared/surface.ts'
import { StoreParams } from '../store.ts'
import { readWallet, WalletBody } from './present-wallet.ts'

/** GET /stores/{store}/wallet */
export function getWalletRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/wallet',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getWallet',
        summary: 'Show wallet passes',
        description: 'Which wallets are set up, without their secrets, and how many passes there are.',
        params: StoreParams,
        response: { 200: WalletBody }
      }
    },
    (request) => request.inStore(readWallet)
  )
}
