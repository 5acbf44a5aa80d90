import { findRequest } from '#privacy'
import { idInPath, noSuch } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import { PrivacyParams, PrivacyRequestBody, presentRequest } from './present-request.ts'

/** GET /stores/{store}/privacy/{privacy_request} */
export function getPrivacyRequestRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/privacy/:privacy_request',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getPrivacyRequest',
        summary: 'Read a privacy request',
        description: 'One request, with how far it is.',
        params: PrivacyParams,
        response: { 200: PrivacyRequestBody }
      }
    },
    async (request) => {
      const { privacy_request: id } = request.params
      const found = await request.inStore((ctx) => findRequest(ctx, idInPath('priv', id)))
      if (!found) throw noSuch('priv', id)
      return presentRequest(found)
    }
  )
}
