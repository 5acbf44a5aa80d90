import type { Ctx } from '#kit/postgres'
import { storeContext } from '#stores'
import { refused } from './import.ts'
import type { ImportInput } from './parse-input.ts'
import { markStaged } from './queries.ts'
import { contractIn, readRow } from './read-row.ts'
import { insertRows, listTaken, type StagedRow } from './row-queries.ts'

/** So many rows are written in one transaction. */
export const STAGED_AT_ONCE = 1_000

export type Progress = { linesRead: number; stagedSha256: string | null; columns: string[] }

/** Writes rows as they came. What can be told to be wrong without asking anybody is refused at once. */
export async function stageRows(
  ctx: Ctx,
  importId: number,
  taken: (ImportInput & { line: number })[],
  progress: Progress
): Promise<void> {
  const facts = { ...(await storeContext(ctx)), now: ctx.now }
  const rows = taken.map(({ line, input, refusal, original }): StagedRow => {
    const reading = input && !refusal ? readRow(input, facts) : null
    return {
      line,
      input,
      original,
      // Also of a row that is refused: its contract is somebody else's to bill until a row of it is taken over.
      contractId: input && contractIn(input, facts),
      externalId: reading?.requested?.externalId ?? null,
      refusal: refusal ?? reading?.refusal ?? null
    }
  })
  const unique = await refuseRepeated(ctx, importId, rows)
  await insertRows(ctx, importId, unique)
  await markStaged(ctx, importId, { ...progress, rows: unique })
}

/** Of rows about one contract, or with one number of the sender's, the first stands. */
async function refuseRepeated(ctx: Ctx, importId: number, rows: StagedRow[]): Promise<StagedRow[]> {
  const lineOf = new Map<string, number>()
  for (const { line, platformContractId, externalId } of await listTaken(ctx, importId, rows)) {
    if (platformContractId) lineOf.set(`contract_id ${platformContractId}`, line)
    if (externalId) lineOf.set(`external_id ${externalId}`, line)
  }
  return rows.map((row) => {
    if (row.refusal) return row
    for (const [field, value] of [
      ['contract_id', row.contractId],
      ['external_id', row.externalId]
    ] as const) {
      const line = value === null ? undefined : lineOf.get(`${field} ${value}`)
      if (line !== undefined) {
        return { ...row, refusal: refused('duplicate_row', field, `${field} is that of line ${line} too`) }
      }
    }
    if (row.contractId) lineOf.set(`contract_id ${row.contractId}`, row.line)
    if (row.externalId) lineOf.set(`external_id ${row.externalId}`, row.line)
    return row
  })
}
