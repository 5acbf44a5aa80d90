import type { Ctx } from '#kit/postgres'
import { storeContext } from '#stores'
import { refused } from '../import.ts'
import { markStaged } from '../queries.ts'
import { insertRows, listDuplicates, type StagedRow } from '../row-queries.ts'
import type { ImportInput } from './parse-input.ts'
import { contractIn, readRow } from './read-row.ts'

/** Rows written in one transaction. */
export const STAGING_BATCH = 1_000

export type Progress = { linesRead: number; stagedSha256: string | null; columns: string[] }

/** Stores rows as received. Refuses at once what is invalid without a look-up. */
export async function stageRows(
  ctx: Ctx,
  importId: number,
  inputs: (ImportInput & { line: number })[],
  progress: Progress
): Promise<void> {
  const facts = { ...(await storeContext(ctx)), now: ctx.now }
  const rows = inputs.map(({ line, input, refusal, original }): StagedRow => {
    const reading = input && !refusal ? readRow(input, facts) : null
    return {
      line,
      input,
      original,
      // Set for refused rows too: another service bills that contract until a row of it is imported.
      contractId: input && contractIn(input, facts),
      externalId: reading?.requested?.externalId ?? null,
      refusal: refusal ?? reading?.refusal ?? null
    }
  })
  const unique = await refuseDuplicates(ctx, importId, rows)
  await insertRows(ctx, importId, unique)
  await markStaged(ctx, importId, { ...progress, rows: unique })
}

/** Refuses all but the first of the rows with the same contract or external id. */
async function refuseDuplicates(ctx: Ctx, importId: number, rows: StagedRow[]): Promise<StagedRow[]> {
  const lineOf = new Map<string, number>()
  for (const { line, platformContractId, externalId } of await listDuplicates(ctx, importId, rows)) {
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
        return { ...row, refusal: refused('duplicate_row', field, `${field} is the same as in line ${line}`) }
      }
    }
    if (row.contractId) lineOf.set(`contract_id ${row.contractId}`, row.line)
    if (row.externalId) lineOf.set(`external_id ${row.externalId}`, row.line)
    return row
  })
}
