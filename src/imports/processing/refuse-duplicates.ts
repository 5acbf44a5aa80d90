import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { type Import, type RowResult, refused } from '../import.ts'
import { listKnownKeys, listSameCreations } from '../row-queries.ts'

/** A row whose contract is to be created. */
type Keyed = {
  row: { line: number; createKey: string }
  requested: { externalId: string | null }
  request: { customerId: string }
  creates: string
}

/**
 * Refuses rows without an id that create what an earlier row without an id has created for the same customer and plan, in this
 * import or another one: probably the same agreement, which would be charged twice. An import may allow them. A row that another
 * import of the same file has created is not a second one. The running imports of the store are locked.
 */
export async function refuseDuplicates<Row extends Keyed>(
  ctx: Ctx,
  { id, allowDuplicates }: Import,
  rows: Row[]
): Promise<{ allowed: Row[]; refused: RowResult[] }> {
  const withoutId = rows.filter(({ requested }) => requested.externalId === null)
  if (allowDuplicates || withoutId.length === 0) return { allowed: rows, refused: [] }
  const known = await listKnownKeys(
    ctx,
    withoutId.map(({ row }) => row.createKey)
  )
  const fresh = withoutId.filter(({ row }) => !known.has(row.createKey))
  const before = await listSameCreations(
    ctx,
    fresh.map(({ request, creates }) => ({ customerId: request.customerId, creates }))
  )
  const placeOf = new Map(
    before.map((same) => [
      `${same.customerId} ${same.creates}`,
      same.importId === id ? `line ${same.line}` : `line ${same.line} of ${publicId('imp', same.importId)}`
    ])
  )
  const refusals: RowResult[] = []
  for (const { row, request, creates } of fresh) {
    const same = `${request.customerId} ${creates}`
    const place = placeOf.get(same)
    if (place === undefined) placeOf.set(same, `line ${row.line}`)
    else refusals.push({ line: row.line, status: 'refused', refusal: sameAs(place, creates) })
  }
  const isRefused = new Set(refusals.map(({ line }) => line))
  return { allowed: rows.filter(({ row }) => !isRefused.has(row.line)), refused: refusals }
}

const sameAs = (place: string, creates: string) =>
  refused(
    'duplicate_row',
    'external_id',
    `external_id is required: customer and ${creates.startsWith('plan:') ? 'plan' : 'variant'} are the same as in ${place}. Or import with allow_duplicates`
  )
