import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const Uninstalled = Type.Object({ uninstalled: Type.Boolean({ description: 'Always true', examples: [true] }) })

/** POST /stores/{store}/sandbox/uninstalls */
export function uninstallAppRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/uninstalls',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'uninstallSandboxApp',
        summary: 'Uninstall the app',
        description: 'The sandbox shop removes the app: the store is disconnected.',
        params: StoreParams,
        response: { 200: Uninstalled }
      }
    },
    async (request) => {
      await play(deps, request, ({ storeId }) => deps.sandbox.uninstall(storeId))
      return { uninstalled: true }
    }
  )
}
