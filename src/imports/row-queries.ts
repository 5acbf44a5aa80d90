import { bool, type Ctx, int, json, nullable, row, sql, text } from '#kit/postgres'
import { type Import, type Input, OpenRow, type RowRefusal, type RowResult } from './import.ts'

export type StagedRow = {
  line: number
  input: Input | null
  /** The row as received, if it could not be split into fields. */
  original: string | null
  contractId: string | null
  externalId: string | null
  refusal: RowRefusal | null
}

/**
 * Rows of the import that already have one of these contracts or external ids; refused rows do not count. Each is looked up by
 * the index: a table that has just been filled has no statistics, and the planner would read all of its rows for every batch.
 */
export function listDuplicates(ctx: Ctx, importId: number, rows: StagedRow[]) {
  return ctx.tx.many(
    row({ line: int, platformContractId: nullable(text), externalId: nullable(text) }),
    sql`
    select found.line, w.contract as platform_contract_id, null::text as external_id
      from unnest(${rows.flatMap((r) => r.contractId ?? [])}::text[]) as w(contract),
           lateral (select line from import_rows
                     where store_id = ${ctx.storeId} and import_id = ${importId} and status <> 'refused'
                       and platform_contract_id = w.contract limit 1) as found
    union all
    select found.line, null, w.number
      from unnest(${rows.flatMap((r) => r.externalId ?? [])}::text[]) as w(number),
           lateral (select line from import_rows
                     where store_id = ${ctx.storeId} and import_id = ${importId} and status <> 'refused'
                       and external_id = w.number limit 1) as found`
  )
}

export async function insertRows(ctx: Ctx, importId: number, rows: StagedRow[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into import_rows (store_id, import_id, line, input, status, refusal_code, refusal_field, refusal_message,
      platform_contract_id, external_id, original)
    select ${ctx.storeId}, ${importId}, t.line, t.input::jsonb, case when t.code is null then 'waiting' else 'refused' end,
           t.code, t.field, t.message, t.contract, t.external_id, t.original
      from unnest(${rows.map((r) => r.line)}::int[], ${rows.map((r) => r.input && JSON.stringify(r.input))}::text[],
                  ${rows.map((r) => r.refusal?.code ?? null)}::text[],
                  ${rows.map((r) => r.refusal?.field ?? null)}::text[],
                  ${rows.map((r) => r.refusal?.message.slice(0, 500) ?? null)}::text[],
                  ${rows.map((r) => r.contractId)}::text[], ${rows.map((r) => r.externalId)}::text[],
                  ${rows.map((r) => r.original)}::text[])
             as t(line, input, code, field, message, contract, external_id, original)
    returning line`)
}

/**
 * The first open rows in file order; not locked, since the claim on the import protects them. For a cancelled import, only the
 * rows whose contracts are being created on the platform.
 */
export function listOpenRows(ctx: Ctx, { id, status }: Import, limit: number): Promise<OpenRow[]> {
  return ctx.tx.many(
    OpenRow,
    sql`
    select line, input, status, create_key, platform_customer_id,
           coalesce(requested_at < statement_timestamp() - interval '1 minute', true) as is_quiet
      from import_rows
     where store_id = ${ctx.storeId} and import_id = ${id} and status in ('waiting', 'creating')
       and (${status} <> 'cancelled' or status = 'creating')
     order by line limit ${limit}`
  )
}

/**
 * Marks waiting rows as being created. Returns the lines that got their key; a row whose key another row already has is left
 * unmarked.
 */
export async function markCreating(
  ctx: Ctx,
  importId: number,
  rows: { line: number; createKey: string; customerId: string; creates: string }[]
): Promise<Set<number>> {
  const marked = await ctx.tx.many(
    row({ line: int }),
    sql`
    update import_rows r set status = 'creating', create_key = t.create_key, platform_customer_id = t.customer,
                             creates = t.creates, requested_at = statement_timestamp()
      from unnest(${rows.map((r) => r.line)}::int[], ${rows.map((r) => r.createKey)}::text[],
                  ${rows.map((r) => r.customerId)}::text[], ${rows.map((r) => r.creates)}::text[])
             as t(line, create_key, customer, creates)
     where r.store_id = ${ctx.storeId} and r.import_id = ${importId} and r.line = t.line and r.status = 'waiting'
       and not exists (select from import_rows k where k.store_id = ${ctx.storeId} and k.create_key = t.create_key)
    returning r.line`
  )
  return new Set(marked.map(({ line }) => line))
}

/** Those of the creation keys that a row of any import has. */
export async function listKnownKeys(ctx: Ctx, createKeys: string[]): Promise<Set<string>> {
  const known = await ctx.tx.many(
    row({ createKey: text }),
    sql`
    select create_key from import_rows where store_id = ${ctx.storeId} and create_key = any(${createKeys}::text[])`
  )
  return new Set(known.map(({ createKey }) => createKey))
}

/**
 * The first row without an id, of any import, that has created or is creating the same for the same customer. Of what it has
 * created only live subscriptions count. `creates` is compared with what the row was for and with the subscription's present plan,
 * which is all that is known of rows of earlier versions.
 */
export function listSameCreations(ctx: Ctx, wanted: { customerId: string; creates: string }[]) {
  return ctx.tx.many(
    row({ customerId: text, creates: text, importId: int, line: int }),
    sql`
    select w.customer as customer_id, w.creates, found.import_id, found.line
      from unnest(${wanted.map((w) => w.customerId)}::text[], ${wanted.map((w) => w.creates)}::text[]) as w(customer, creates),
           lateral (
             select r.import_id, r.line from import_rows r
              where r.store_id = ${ctx.storeId} and r.platform_customer_id = w.customer and r.status = 'creating'
                and r.external_id is null and r.creates = w.creates
             union all
             select r.import_id, r.line
               from members m
               join subscriptions s on s.store_id = ${ctx.storeId} and s.member_id = m.id and s.status in ('active', 'paused')
               join import_rows r on r.store_id = ${ctx.storeId} and r.subscription_id = s.id and r.status = 'created'
                    and r.create_key is not null and r.external_id is null
              where m.store_id = ${ctx.storeId} and m.platform_customer_id = w.customer
                and w.creates in (r.creates, 'plan:' || s.plan_id)
              order by import_id, line limit 1) as found`
  )
}

/** Records that creation of these rows' contracts is requested again. */
export async function markRequested(ctx: Ctx, importId: number, lines: number[]): Promise<void> {
  await ctx.tx.run(sql`
    update import_rows set requested_at = statement_timestamp()
     where store_id = ${ctx.storeId} and import_id = ${importId} and line = any(${lines}::int[])`)
}

/** The subscription and contract of each key that already has them; keys still being created are left out. */
export async function findCreated(
  ctx: Ctx,
  createKeys: string[]
): Promise<Map<string, { subscriptionId: number; contractId: string }>> {
  const created = await ctx.tx.many(
    row({ createKey: text, subscriptionId: int, contractId: text }),
    sql`
    select create_key, subscription_id, platform_contract_id as contract_id from import_rows
     where store_id = ${ctx.storeId} and create_key = any(${createKeys}::text[]) and subscription_id is not null`
  )
  return new Map(created.map(({ createKey, ...rest }) => [createKey, rest]))
}

/** Those of the keys whose contracts are being created now. */
export async function listKeysInCreation(ctx: Ctx, createKeys: string[]): Promise<Set<string>> {
  const found = await ctx.tx.many(
    row({ createKey: text }),
    sql`
    select create_key from import_rows
     where store_id = ${ctx.storeId} and create_key = any(${createKeys}::text[]) and status = 'creating'`
  )
  return new Set(found.map(({ createKey }) => createKey))
}

/** Those of the contracts that occur in a row, and whether an unfinished import still has to process that row. */
export function listRowsOfContracts(ctx: Ctx, contractIds: string[]) {
  return ctx.tx.many(
    row({ contractId: text, isAwaited: bool }),
    sql`
    select r.platform_contract_id as contract_id,
           bool_or(r.status in ('waiting', 'creating') and i.finished_at is null) as is_awaited
      from import_rows r join imports i on i.store_id = ${ctx.storeId} and i.id = r.import_id
     where r.store_id = ${ctx.storeId} and r.platform_contract_id = any(${contractIds}::text[])
     group by r.platform_contract_id`
  )
}

/** Writes the outcomes of rows and adds them to the import's counts. */
export async function writeResults(ctx: Ctx, importId: number, results: RowResult[]): Promise<void> {
  if (results.length === 0) return
  const refusalOf = (r: RowResult) => (r.status === 'refused' ? r.refusal : null)
  const acceptedOf = (r: RowResult) => (r.status === 'refused' ? null : r)
  await ctx.tx.run(sql`
    update import_rows r
       set status = t.status, refusal_code = t.code, refusal_field = t.field, refusal_message = t.message,
           subscription_id = t.subscription_id, platform_contract_id = coalesce(t.contract, r.platform_contract_id),
           create_key = case when t.status = 'created' then r.create_key end
      from unnest(${results.map((r) => r.line)}::int[], ${results.map((r) => r.status)}::text[],
                  ${results.map((r) => refusalOf(r)?.code ?? null)}::text[],
                  ${results.map((r) => refusalOf(r)?.field ?? null)}::text[],
                  ${results.map((r) => refusalOf(r)?.message.slice(0, 500) ?? null)}::text[],
                  ${results.map((r) => acceptedOf(r)?.subscriptionId ?? null)}::bigint[],
                  ${results.map((r) => acceptedOf(r)?.platformContractId ?? null)}::text[])
             as t(line, status, code, field, message, subscription_id, contract)
     where r.store_id = ${ctx.storeId} and r.import_id = ${importId} and r.line = t.line
       and r.status in ('waiting', 'creating')`)
  const count = (status: RowResult['status']) => results.filter((r) => r.status === status).length
  await ctx.tx.run(sql`
    update imports set created_rows = created_rows + ${count('created')},
           unchanged_rows = unchanged_rows + ${count('unchanged')}, refused_rows = refused_rows + ${count('refused')}
     where store_id = ${ctx.storeId} and id = ${importId}`)
}

const RefusedRow = row({
  line: int,
  input: nullable(json<Input>()),
  original: nullable(text),
  refusalCode: text,
  refusalField: nullable(text),
  refusalMessage: text
})

/** Refused rows after line `after`, in file order. */
export function listRefused(ctx: Ctx, importId: number, after: number, limit: number) {
  return ctx.tx.many(
    RefusedRow,
    sql`
    select line, input, original, refusal_code, refusal_field, refusal_message from import_rows
     where store_id = ${ctx.storeId} and import_id = ${importId} and status = 'refused' and line > ${after}
     order by line limit ${limit}`
  )
}

/** Removes the fields of up to `limit` rows; returns the number of rows. */
export function pruneInput(ctx: Ctx, importId: number, limit: number): Promise<number> {
  return ctx.tx.run(sql`
    update import_rows r set input = null, original = null
      from (select line from import_rows
             where store_id = ${ctx.storeId} and import_id = ${importId} and num_nonnulls(input, original) > 0 limit ${limit}) as old
     where r.store_id = ${ctx.storeId} and r.import_id = ${importId} and r.line = old.line`)
}
