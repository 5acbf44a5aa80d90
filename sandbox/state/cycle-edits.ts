import { bool, instant, int, json, nullable, type Queries, type RowOf, row, sql, text } from '#kit/postgres'
import type { ContractTerms } from './contracts.ts'

const EditRow = row({
  contractId: text,
  cycle: int,
  isSkipped: bool,
  billingAt: nullable(instant),
  terms: nullable(json<ContractTerms>()),
  updatedAt: instant
})
/** What was changed of one billing cycle. `cycle` counts from the beginning of the contract, over all its numberings. */
export type CycleEdit = RowOf<typeof EditRow>

/** The edits of contracts, by cycle. */
export async function listCycleEdits(q: Queries, storeId: number, contractIds: string[]): Promise<CycleEdit[]> {
  return q.many(
    EditRow,
    sql`
    select contract_id::text as contract_id, cycle, is_skipped, billing_at, terms, updated_at from sandbox.cycle_edits
     where store_id = ${storeId} and contract_id = any(${contractIds}::bigint[]) order by contract_id, cycle`
  )
}

export async function saveCycleEdit(
  q: Queries,
  storeId: number,
  edit: Omit<CycleEdit, 'updatedAt'>,
  now: Temporal.Instant
): Promise<void> {
  const terms = edit.terms && JSON.stringify(edit.terms)
  await q.run(sql`
    insert into sandbox.cycle_edits (store_id, contract_id, cycle, is_skipped, billing_at, terms, updated_at)
    values (${storeId}, ${edit.contractId}, ${edit.cycle}, ${edit.isSkipped}, ${edit.billingAt}, ${terms}::jsonb, ${now})
    on conflict (store_id, contract_id, cycle) do update
       set is_skipped = excluded.is_skipped, billing_at = excluded.billing_at, terms = excluded.terms,
           updated_at = excluded.updated_at`)
}

/** Deletes the edits of cycles from the given one on, or of that one alone. Returns the cycles. */
export async function deleteCycleEdits(
  q: Queries,
  storeId: number,
  contractId: string,
  from: number,
  to: number | null
): Promise<number[]> {
  const rows = await q.many(
    row({ cycle: int }),
    sql`
    delete from sandbox.cycle_edits
     where store_id = ${storeId} and contract_id = ${contractId} and cycle >= ${from}
       and (${to}::int is null or cycle <= ${to}::int)
    returning cycle`
  )
  return rows.map(({ cycle }) => cycle).sort((a, b) => a - b)
}
