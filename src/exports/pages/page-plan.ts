import type { Ctx } from '#kit/postgres'
import type { ExportEndpoint, Field, PageIds, PlannedPage, RowScope, Scope } from '../endpoint.ts'
import { copiedColumns, formattedColumns } from '../format-fields.ts'
import { scopeOf } from './page-scope.ts'

export const conditionOf = ({ source }: ExportEndpoint, scope: RowScope): string =>
  typeof source.where === 'string' ? source.where : source.where(scope)

/** What a page of an endpoint copies. `page` null: it has no rows. `more`: fields and joins besides the declared ones. */
export async function pagePlan(
  ctx: Ctx,
  endpoint: ExportEndpoint,
  page: PageIds | null,
  {
    meta,
    descending = false,
    conditions = [],
    staysWhile = null,
    more
  }: Partial<Pick<PlannedPage, 'staysWhile'>> & {
    meta: object
    descending?: boolean
    /** What else holds of the rows, such as a date. */
    conditions?: string[]
    more?: { fields: Field[]; joins: (scope: Scope) => string }
  }
): Promise<PlannedPage> {
  const { scope, timeZone } = await scopeOf(ctx, page ?? { ids: [] })
  const { table, alias, joins } = endpoint.source
  const fields = [...endpoint.fields, ...(more?.fields ?? [])]
  const select = `select ${formattedColumns(fields, scope)}
  from ${table} ${alias}
  ${[joins(scope), more?.joins(scope) ?? ''].join('\n  ').trim()}
 where ${alias}.store_id = ${scope.store} and ${scope.within(`${alias}.id`)}
   and ${[conditionOf(endpoint, scope), ...conditions].join('\n   and ')}
 order by ${alias}.id${descending ? ' desc' : ''}`
  return {
    storeId: ctx.storeId,
    endpoint: endpoint.name,
    page,
    now: ctx.now.toString(),
    staysWhile: page && staysWhile,
    timeZone,
    select: page ? select : `select ${fields.map(() => 'null').join(', ')} where false`,
    columns: copiedColumns(fields),
    head: '{"data":[',
    tail: `],"meta":${JSON.stringify(meta)}}`,
    keyed: false
  }
}
