import { type Static, Type } from 'typebox'
import { importCredits } from '#imports'
import { numberOf } from '#kit/money'
import { Amount } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { DryRun, ImportProblems } from '../import-report.ts'
import { acceptFiles, receiveSent } from '../sent-file.ts'
import { StoreParams, storeOf } from '../store.ts'

const FILE_TYPES = {
  'text/csv': 'customer_id,amount,external_id\n7064055069370,5.00,old-1\n',
  'application/x-ndjson': '{"customer_id":"7064055069370","amount":"5.00","external_id":"old-1"}\n'
}

const ImportQuery = Type.Object({
  dry_run: DryRun,
  sha256: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: "the file's SHA-256, 64 hexadecimal digits",
      meaning:
        'Names the file, so that a row without `external_id` is imported once, however often it is sent. Without it such rows are refused',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08']
    })
  )
})

const ReportBody = Type.Object(
  {
    dry_run: Type.Boolean({ description: 'Whether nothing was done' }),
    rows: Type.Integer({ description: 'Rows of the file' }),
    added: Type.Integer({ description: 'Rows whose credit was added' }),
    repeated: Type.Integer({ description: 'Rows that were imported before' }),
    refused: Type.Integer({ description: 'Rows that are wrong' }),
    amount: Amount('The credit that was added, in the currency of the store'),
    problems: ImportProblems
  },
  {
    title: 'CreditImport',
    description: 'What an import of store credit has done.',
    examples: [
      {
        dry_run: false,
        rows: 3,
        added: 1,
        repeated: 1,
        refused: 1,
        amount: 5,
        problems: [{ line: 4, field: 'customer_id', message: 'There is no customer with this id' }]
      }
    ]
  }
)

/** PUT /stores/{store}/store-credits/import */
export function importCreditRoute(admin: Surface, { db }: AdminDeps): void {
  admin.register(async (files) => {
    acceptFiles(files)
    files.put(
      '/stores/:store/store-credits/import',
      {
        config: { allow: 'manage', mayTakeLong: true },
        schema: {
          operationId: 'importCredit',
          summary: 'Import store credit',
          description:
            'The body is a CSV or NDJSON file with the columns customer_id or email, amount, and optionally currency, expires_at, reason and external_id. Each row becomes an entry of type `import`. A row that is wrong does not affect the others, and a row that was imported before is not imported again: an import that was interrupted is sent again.',
          consumes: FILE_TYPES,
          params: StoreParams,
          querystring: ImportQuery,
          response: { 200: ReportBody }
        }
      },
      async (request) => {
        const { storeId, currency } = storeOf(request)
        const { dry_run, sha256 } = request.query as Static<typeof ImportQuery>
        const isDryRun = dry_run === 'true'
        const name = sha256 ?? null
        const report = await receiveSent(request, (file) => importCredits(db, storeId, { ...file, name, isDryRun }))
        const { amountMinor, ...counts } = report
        return { dry_run: isDryRun, ...counts, amount: numberOf(amountMinor, currency) }
      }
    )
  })
}
