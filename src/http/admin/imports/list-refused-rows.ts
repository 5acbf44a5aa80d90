import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { refusedRowsReport } from '#imports'
import { idInPath } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { oneOf } from '../fields.ts'
import { storeOf } from '../store.ts'
import { ImportParams } from './present-import.ts'

const TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const

const RefusedRow = Type.Object(
  {
    line: Type.Integer({ description: 'Its line in the file' }),
    code: Type.String({ description: 'Why it was refused, to branch on' }),
    field: Type.Union([Type.String(), Type.Null()], { description: 'Which field is wrong' }),
    message: Type.String({ description: 'Why it was refused, in a sentence' }),
    row: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The fields of the row' })),
    original: Type.Optional(Type.String({ description: 'The row as it came, where it could not be split into fields' }))
  },
  {
    title: 'RefusedRow',
    description: 'One line of the report. As CSV each has the columns of the file and then these.',
    examples: [
      {
        line: 1994,
        code: 'contract_ended',
        field: 'contract_id',
        message: 'The contract is cancelled',
        row: { contract_id: '800001' }
      }
    ]
  }
)

/** GET /stores/{store}/imports/{import}/refused */
export function listRefusedRowsRoute(admin: Surface, { db }: AdminDeps): void {
  admin.get(
    '/stores/:store/imports/:import/refused',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listRefusedRows',
        summary: 'Read the refused rows of an import',
        description: 'A report to correct the rows by, as lines of JSON or as CSV.',
        params: ImportParams,
        querystring: Type.Object({
          format: Type.Optional(
            oneOf(['csv', 'ndjson'], {
              meaning: 'How the report is written; `ndjson` by default',
              examples: ['ndjson']
            })
          )
        }),
        produces: ['application/x-ndjson', 'text/csv'],
        response: { 200: RefusedRow }
      }
    },
    async (request, reply) => {
      const { format = 'ndjson' } = request.query
      const report = await refusedRowsReport(
        db,
        storeOf(request).storeId,
        idInPath('imp', request.params.import),
        format
      )
      return reply.type(TYPES[format]).send(Readable.from(report, { objectMode: false }) as never)
    }
  )
}
