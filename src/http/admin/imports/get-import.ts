import { showImport } from '#imports'
import { idInPath } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import { ImportBody, ImportParams, presentImport } from './present-import.ts'

/** GET /stores/{store}/imports/{import} */
export function getImportRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/imports/:import',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getImport',
        summary: 'Read an import',
        description: 'One import, with `pushed`.',
        params: ImportParams,
        response: { 200: ImportBody }
      }
    },
    async (request) => {
      const shown = await request.inStore((ctx) => showImport(ctx, idInPath('imp', request.params.import)))
      return { ...presentImport(shown), pushed: shown.createdRows - shown.toPush }
    }
  )
}
