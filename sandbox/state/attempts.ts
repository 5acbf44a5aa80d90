import { bool, instant, int, json, nullable, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

const AttemptRow = row({
  id: text,
  contractId: text,
  idempotencyKey: text,
  cycleIndex: int,
  cyclesBefore: int,
  periodAt: nullable(instant),
  originAt: nullable(instant),
  status: text as (value: unknown) => AttemptStatus,
  outcome: text,
  resolveAt: instant,
  errorCode: nullable(text),
  errorMessage: nullable(text),
  orderId: nullable(text),
  challenge: nullable(text),
  createdAt: instant,
  completedAt: nullable(instant)
})
export type AttemptStatus = 'pending' | 'challenged' | 'succeeded' | 'failed'
export type Attempt = RowOf<typeof AttemptRow> & { __typename: 'SubscriptionBillingAttempt' }

const asAttempt = (found: RowOf<typeof AttemptRow>): Attempt => ({ __typename: 'SubscriptionBillingAttempt', ...found })

export async function findAttempts(q: Queries, storeId: number, ids: string[]): Promise<Attempt[]> {
  const rows = await q.many(
    AttemptRow,
    sql`
    select id::text as id, contract_id::text as contract_id, coalesce(shown_key, idempotency_key) as idempotency_key,
           cycle_index, cycles_before, period_at, origin_at, status, outcome, resolve_at, error_code,
           error_message, order_id::text as order_id, challenge, created_at, completed_at
      from sandbox.billing_attempts where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asAttempt)
}

/** All attempts of the contracts, oldest first. */
export async function listAttemptsOf(q: Queries, storeId: number, contractIds: string[]): Promise<Attempt[]> {
  const rows = await q.many(
    AttemptRow,
    sql`
    select id::text as id, contract_id::text as contract_id, coalesce(shown_key, idempotency_key) as idempotency_key,
           cycle_index, cycles_before, period_at, origin_at, status, outcome, resolve_at, error_code,
           error_message, order_id::text as order_id, challenge, created_at, completed_at
      from sandbox.billing_attempts where store_id = ${storeId} and contract_id = any(${contractIds}::bigint[])
     order by billing_attempts.id`
  )
  return rows.map(asAttempt)
}

export async function findAttemptByKey(
  q: Queries,
  storeId: number,
  contractId: string,
  key: string
): Promise<Attempt | null> {
  const found = await q.maybeOne(
    AttemptRow,
    sql`
    select id::text as id, contract_id::text as contract_id, coalesce(shown_key, idempotency_key) as idempotency_key,
           cycle_index, cycles_before, period_at, origin_at, status, outcome, resolve_at, error_code,
           error_message, order_id::text as order_id, challenge, created_at, completed_at
      from sandbox.billing_attempts
     where store_id = ${storeId} and contract_id = ${contractId} and idempotency_key = ${key}`
  )
  return found && asAttempt(found)
}

export async function findAttemptByChallenge(q: Queries, storeId: number, challenge: string): Promise<Attempt | null> {
  const found = await q.maybeOne(
    AttemptRow,
    sql`
    select id::text as id, contract_id::text as contract_id, coalesce(shown_key, idempotency_key) as idempotency_key,
           cycle_index, cycles_before, period_at, origin_at, status, outcome, resolve_at, error_code,
           error_message, order_id::text as order_id, challenge, created_at, completed_at
      from sandbox.billing_attempts where store_id = ${storeId} and challenge = ${challenge}`
  )
  return found && asAttempt(found)
}

const StoredAttempt = row({ contractStatus: text, created: bool, attempt: nullable(json<RawAttempt>()) })
/** A row of the table as JSON; ids are strings, since JSON numbers are exact only up to 2^53. */
type RawAttempt = Record<'id' | 'contract_id' | 'order_id', string | null> & Record<string, unknown>

/**
 * Stores an attempt in one statement, with the next outcome of the customer's card script; `onSuccess` replaces the outcome
 * `success`. Returns the existing attempt if the key was used before. Stores nothing if the contract is not active, or if the
 * cycle is skipped: its status is then SKIPPED. Null if the
 * contract does not exist.
 */
export async function insertAttempt(
  q: Queries,
  storeId: number,
  input: {
    contractId: string
    idempotencyKey: string
    cycleIndex: number
    periodAt: Temporal.Instant
    originAt: Temporal.Instant | null
  },
  resolution: {
    now: Temporal.Instant
    at: Temporal.Instant
    lateAt: Temporal.Instant
    neverAt: Temporal.Instant
    challenge: string
    onSuccess: string
  }
): Promise<{ contractStatus: string; created: boolean; attempt: Attempt | null } | null> {
  const found = await q.maybeOne(
    StoredAttempt,
    sql`
    with contract as (
      select c.id, c.customer_id, c.cycles_before,
             case when c.status = 'ACTIVE' and exists (
               select from sandbox.cycle_edits e
                where e.store_id = ${storeId} and e.contract_id = c.id and e.cycle = c.cycles_before + ${input.cycleIndex}::int
                  and e.is_skipped) then 'SKIPPED' else c.status end as status
        from sandbox.contracts c where c.store_id = ${storeId} and c.id = ${input.contractId}
    ), card as (
      -- Locked, so that concurrent attempts get different outcomes of the script.
      select cu.id, case coalesce(cu.script[1], cu.outcome) when 'success' then ${resolution.onSuccess}
                         else coalesce(cu.script[1], cu.outcome) end as outcome, cardinality(cu.script) > 0 as scripted
        from sandbox.customers cu join contract on cu.id = contract.customer_id
       where cu.store_id = ${storeId}
         for update of cu
    ), existing as (
      select a.* from sandbox.billing_attempts a
       where a.store_id = ${storeId} and a.contract_id = ${input.contractId} and a.idempotency_key = ${input.idempotencyKey}
    ), created as (
      insert into sandbox.billing_attempts (store_id, contract_id, idempotency_key, cycle_index, cycles_before, period_at,
                                            origin_at, outcome, challenge, resolve_at, created_at)
      select ${storeId}, contract.id, ${input.idempotencyKey}, ${input.cycleIndex}, contract.cycles_before, ${input.periodAt},
             ${input.originAt}, card.outcome, case when card.outcome = '3ds' then ${resolution.challenge} end,
             case card.outcome when 'late' then ${resolution.lateAt}::timestamptz when 'never' then ${resolution.neverAt}::timestamptz
                               else ${resolution.at}::timestamptz end, ${resolution.now}
        from contract join card on card.id = contract.customer_id
       where contract.status = 'ACTIVE' and not exists (select from existing)
      on conflict (store_id, contract_id, idempotency_key) do nothing
      returning *
    ), used as (
      update sandbox.customers cu set script = cu.script[2:]
        from card, created where cu.store_id = ${storeId} and cu.id = card.id and card.scripted
    )
    select contract.status as contract_status, exists (select from created) as created,
           (select to_jsonb(a) || jsonb_build_object('id', a.id::text, 'contract_id', a.contract_id::text,
                                                     'order_id', a.order_id::text)
              from (select * from created union all select * from existing) a) as attempt
      from contract`
  )
  if (!found) return null
  const { attempt } = found
  return { ...found, attempt: attempt && asAttempt(AttemptRow(withInstants(attempt))) }
}

/** Parses the instants of a row, which are strings in JSON. */
function withInstants(raw: RawAttempt): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(raw).map(([column, value]) => [
      column,
      column.endsWith('_at') && typeof value === 'string' ? Temporal.Instant.from(value) : value
    ])
  )
}

/** Forgets the keys of a contract's attempts that were made until then: the same key then makes a new attempt. */
export async function forgetKeys(q: Queries, storeId: number, contractId: string, until: Temporal.Instant) {
  await q.run(sql`
    update sandbox.billing_attempts a
       set shown_key = a.idempotency_key, idempotency_key = a.idempotency_key || ' forgotten ' || a.id
     where a.store_id = ${storeId} and a.contract_id = ${contractId} and a.created_at <= ${until} and a.shown_key is null`)
}

export type AttemptResult = {
  id: string
  status: AttemptStatus
  errorCode: string | null
  errorMessage: string | null
  orderId: string | null
  /** For an attempt whose first result is not the last one: when it gets the other. */
  correctedAt?: Temporal.Instant | null
  /** A payment of a cycle that was paid before. */
  paidAgain?: boolean
  /** For a challenged attempt: when the challenge expires. */
  resolveAt?: Temporal.Instant
}

/** Writes the results of many attempts in one statement. */
export async function resolveAttempts(q: Queries, storeId: number, results: AttemptResult[], now: Temporal.Instant) {
  await q.run(sql`
    update sandbox.billing_attempts a
       set status = n.status, error_code = n."errorCode", error_message = n."errorMessage", order_id = n."orderId",
           corrected_at = n."correctedAt", paid_again = coalesce(n."paidAgain", a.paid_again), resolve_at = coalesce(n."resolveAt", a.resolve_at),
           completed_at = case when n.status in ('succeeded', 'failed') then ${now}::timestamptz end
      from jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
           as n(id bigint, status text, "errorCode" text, "errorMessage" text, "orderId" bigint, "correctedAt" timestamptz,
                "paidAgain" boolean, "resolveAt" timestamptz)
     where a.store_id = ${storeId} and a.id = n.id`)
}

/** The last paid cycle in the contract's present numbering; 0 if none. */
export async function lastPaidCycle(q: Queries, storeId: number, contractId: string): Promise<number> {
  const { cycle } = await q.one(
    row({ cycle: int }),
    sql`
    select coalesce(max(a.cycle_index), 0) as cycle
      from sandbox.contracts c
      join sandbox.billing_attempts a on a.store_id = ${storeId} and a.contract_id = c.id and a.cycles_before = c.cycles_before
     where c.store_id = ${storeId} and c.id = ${contractId} and a.status = 'succeeded'`
  )
  return cycle
}
