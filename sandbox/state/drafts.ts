import { instant, int, json, nullable, type Queries, type RowOf, row, sql, text } from '#kit/postgres'
import type { Contract, ContractTerms } from './contracts.ts'

const DraftRow = row({
  id: text,
  contractId: text,
  baseRevision: text,
  /** The cycle that it is about, counted from the beginning of the contract; null: the contract. */
  cycle: nullable(int),
  body: json<ContractTerms>(),
  committedAt: nullable(instant)
})
export type Draft = RowOf<typeof DraftRow> & { __typename: 'SubscriptionDraft' }

const asDraft = (found: RowOf<typeof DraftRow>): Draft => ({ __typename: 'SubscriptionDraft', ...found })

export async function findDraft(q: Queries, storeId: number, id: string): Promise<Draft | null> {
  const found = await q.maybeOne(
    DraftRow,
    sql`
    select id::text as id, contract_id::text as contract_id, base_revision::text as base_revision, cycle, body, committed_at
      from sandbox.drafts where store_id = ${storeId} and id = ${id}`
  )
  return found && asDraft(found)
}

/** Locks the draft until the transaction ends. */
export async function lockDraft(q: Queries, storeId: number, id: string): Promise<Draft | null> {
  const found = await q.maybeOne(
    DraftRow,
    sql`
    select id::text as id, contract_id::text as contract_id, base_revision::text as base_revision, cycle, body, committed_at
      from sandbox.drafts where store_id = ${storeId} and id = ${id} for update`
  )
  return found && asDraft(found)
}

export async function insertDraft(
  q: Queries,
  storeId: number,
  contract: Contract,
  body: ContractTerms,
  cycle: number | null = null
): Promise<Draft> {
  const found = await q.one(
    DraftRow,
    sql`
    insert into sandbox.drafts (store_id, contract_id, base_revision, cycle, body)
    values (${storeId}, ${contract.id}, ${contract.revisionId}, ${cycle}, ${JSON.stringify(body)})
    returning id::text as id, contract_id::text as contract_id, base_revision::text as base_revision, cycle, body, committed_at`
  )
  return asDraft(found)
}

export async function writeDraft(q: Queries, storeId: number, id: string, body: ContractTerms): Promise<Draft> {
  const found = await q.one(
    DraftRow,
    sql`
    update sandbox.drafts set body = ${JSON.stringify(body)} where store_id = ${storeId} and id = ${id}
    returning id::text as id, contract_id::text as contract_id, base_revision::text as base_revision, cycle, body, committed_at`
  )
  return asDraft(found)
}

export async function markCommitted(q: Queries, storeId: number, id: string, now: Temporal.Instant) {
  await q.run(sql`update sandbox.drafts set committed_at = ${now} where store_id = ${storeId} and id = ${id}`)
}
