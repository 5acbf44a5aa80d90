import { Type } from 'typebox'
import { MODES, SOURCES, startImport } from '#imports'
import { futureOrNull, IsoDate } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import { oneOf } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'
import { ImportBody, presentImport } from './present-import.ts'

const NewImportBody = Type.Object({
  source: oneOf(SOURCES, { meaning: 'Where the rows come from', examples: ['csv'] }),
  mode: Type.Optional(
    oneOf(MODES, {
      meaning: 'How contracts begin where their row does not say; `live` by default',
      examples: ['paused']
    })
  ),
  paused_until: IsoDate('With the mode `paused`: when they resume by themselves', '2030-03-01'),
  allow_duplicates: Type.Optional(
    Type.Boolean({
      description: 'true or false',
      meaning:
        'Whether rows without `contract_id` and `external_id` may create several contracts of one customer for one plan; `false` by default. Only for a file',
      examples: [false]
    })
  ),
  sha256: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description: "the file's SHA-256, 64 hexadecimal digits",
      meaning: 'An import of the same file that has not ended goes on',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08']
    })
  )
})

/** POST /stores/{store}/imports */
export function startImportRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/imports',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'startImport',
        summary: 'Start an import',
        description:
          'Takes over contracts that others have billed until now. Nothing is charged by it. An import of a file waits for its rows; one from the platform begins at once.',
        params: StoreParams,
        body: NewImportBody,
        response: { 201: ImportBody }
      }
    },
    async (request, reply) => {
      const { timezone } = storeOf(request)
      const { source, mode = 'live', paused_until, allow_duplicates = false, sha256 } = request.body
      const started = await request.inStore((ctx) =>
        startImport(ctx, {
          source,
          mode,
          pausedUntil: futureOrNull('paused_until', paused_until, timezone, ctx.now),
          allowDuplicates: allow_duplicates,
          fileSha256: sha256?.toLowerCase() ?? null
        })
      )
      return reply.code(201).send(presentImport(started))
    }
  )
}
