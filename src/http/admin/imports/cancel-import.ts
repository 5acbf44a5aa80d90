import { Type } from 'typebox'
import { cancelImport } from '#imports'
import { idInPath } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import { ImportBody, ImportParams, presentImport } from './present-import.ts'

/** POST /stores/{store}/imports/{import}/cancel */
export function cancelImportRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/imports/:import/cancel',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'cancelImport',
        summary: 'Cancel an import',
        description: 'Stops it. Contracts that were taken over by then stay.',
        params: ImportParams,
        body: Type.Object({}),
        response: { 200: ImportBody }
      }
    },
    async (request) => {
      const cancelled = await request.inStore((ctx) => cancelImport(ctx, idInPath('imp', request.params.import)))
      return presentImport(cancelled)
    }
  )
}
