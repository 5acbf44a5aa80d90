import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { Refusal } from '#kit/refusal'
import { findRequest, takeExport } from '#privacy'
import { idInPath, noSuch } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import { PrivacyParams } from './present-request.ts'

const ExportBody = Type.Object(
  {
    made_at: Type.String({ description: 'When it was made' }),
    customer: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'By what the customer was looked for: ids, addresses, phones and names'
      }
    ),
    held: Type.Object({}, { additionalProperties: true, description: 'The rows about them, by table' })
  },
  {
    title: 'PrivacyExport',
    description: 'Everything that is held about a customer.',
    examples: [
      {
        made_at: '2026-10-01T08:00:00Z',
        customer: {
          platform_ids: ['7064055069370'],
          emails: ['hanna.ito@example.com'],
          phones: [],
          names: ['Hanna Ito']
        },
        held: { members: [{ id: 24, email: 'hanna.ito@example.com' }] }
      }
    ]
  }
)

/** GET /stores/{store}/privacy/{privacy_request}/export */
export function getPrivacyExportRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/privacy/:privacy_request/export',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'getPrivacyExport',
        summary: 'Read the file of a data request',
        description:
          'A JSON document for the owner of the store, who hands it to the customer. With that the request is done. The file is kept for 30 days, and no longer than the data of the customer.',
        params: PrivacyParams,
        response: { 200: ExportBody }
      }
    },
    async (request, reply) => {
      const { privacy_request } = request.params
      const id = idInPath('priv', privacy_request)
      const content = await request.inStore((ctx) => takeExport(ctx, id))
      if (content !== null) {
        return reply.type('application/json; charset=utf-8').send(Readable.from([content]) as never)
      }
      const found = await request.inStore((ctx) => findRequest(ctx, id))
      if (!found) throw noSuch('priv', privacy_request)
      throw new Refusal(
        'not_found',
        found.topic !== 'customers/data_request'
          ? `${privacy_request} is no data request, and has no file`
          : found.doneAt === null
            ? `The file of ${privacy_request} is not made yet`
            : `The file of ${privacy_request} is no longer kept`
      )
    }
  )
}
