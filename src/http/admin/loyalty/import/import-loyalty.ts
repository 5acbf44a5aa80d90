import { type Static, Type } from 'typebox'
import { importLoyalty } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import type { AdminDeps } from '../../deps.ts'
import { DryRun, ImportProblems } from '../../import-report.ts'
import { acceptFiles, receiveSent } from '../../sent-file.ts'
import { StoreParams, storeOf } from '../../store.ts'

const FILE_TYPES = {
  'text/csv': 'customer_id,points,lifetime_points,tier,birth_date\n7064055069370,300,1200,Gold,1990-01-31\n',
  'application/x-ndjson':
    '{"customer_id":"7064055069370","points":300,"lifetime_points":1200,"tier":"Gold","birth_date":"1990-01-31"}\n'
}

const ImportQuery = Type.Object({
  dry_run: DryRun
})

const ReportBody = Type.Object(
  {
    dry_run: Type.Boolean({ description: 'Whether nothing was done' }),
    rows: Type.Integer({ description: 'Rows of the file' }),
    imported: Type.Integer({ description: 'Rows of which something was new' }),
    repeated: Type.Integer({ description: 'Rows that were imported before' }),
    refused: Type.Integer({ description: 'Rows that are wrong' }),
    points: Type.Integer({ description: 'The points that were added' }),
    tiers: Type.Integer({ description: 'The customers who were given a tier' }),
    birth_dates: Type.Integer({ description: 'The birth dates that were entered' }),
    problems: ImportProblems
  },
  {
    title: 'LoyaltyImport',
    description: 'What an import of loyalty has done.',
    examples: [
      {
        dry_run: false,
        rows: 3,
        imported: 1,
        repeated: 1,
        refused: 1,
        points: 300,
        tiers: 1,
        birth_dates: 1,
        problems: [{ line: 4, field: 'customer_id', message: 'There is no customer with this id' }]
      }
    ]
  }
)

/** PUT /stores/{store}/loyalty/import */
export function importLoyaltyRoute(admin: Surface, { db }: AdminDeps): void {
  admin.register(async (files) => {
    acceptFiles(files)
    files.put(
      '/stores/:store/loyalty/import',
      {
        config: { allow: 'manage', mayTakeLong: true },
        schema: {
          operationId: 'importLoyalty',
          summary: 'Import points, tiers and birth dates',
          description:
            'The body is a CSV or NDJSON file with the columns customer_id or email, and points, lifetime_points, tier, birth_date. Points are added once for each customer, a tier holds to its first review, and birth dates are entered where none is known. A row that is wrong does not affect the others, and what was imported before is not imported again: an import that was interrupted is sent again.',
          consumes: FILE_TYPES,
          params: StoreParams,
          querystring: ImportQuery,
          response: { 200: ReportBody }
        }
      },
      async (request) => {
        const { storeId } = storeOf(request)
        const isDryRun = (request.query as Static<typeof ImportQuery>).dry_run === 'true'
        const report = await receiveSent(request, (file) => importLoyalty(db, storeId, { ...file, isDryRun }))
        const { birthDates, problems, ...counts } = report
        return { dry_run: isDryRun, ...counts, birth_dates: birthDates, problems }
      }
    )
  })
}
