import { Type } from 'typebox'
import { listImports } from '#imports'
import type { Surface } from '../../shared/surface.ts'
import { List, PageLimit } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { ImportBody, presentImport } from './present-import.ts'

/** GET /stores/{store}/imports */
export function listImportsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/imports',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listImports',
        summary: 'List imports',
        description: 'The imports of the store, newest first.',
        params: StoreParams,
        querystring: Type.Object({ limit: PageLimit }),
        response: { 200: List(ImportBody, 'The imports') }
      }
    },
    async (request) => {
      const { limit = 50 } = request.query
      return { data: (await request.inStore((ctx) => listImports(ctx, limit))).map(presentImport) }
    }
  )
}
