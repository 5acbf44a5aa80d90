// The bare side of bench/credit-entry.ts: one statement writes the five rows of an addition of store credit: key, account, entry,
// lot and fact. Arguments: the database's URL, the store's id.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import pg from 'pg'

const [connectionString, storeId] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, max: 8 })

const TEXT = `
  with account as (
    update credit_accounts set balance_minor = balance_minor + $3, entries = entries + 1, totalled_entries = entries + 1,
           reconciled_minor = reconciled_minor + $3, reconciled_at = now(), updated_at = now()
     where store_id = $1 and member_id = $2 returning member_id, balance_minor, entries),
  entry as (
    insert into credit_entries (store_id, member_id, position, type, amount_minor, balance_after_minor, reason, operation_id, created_at)
    select $1, member_id, entries, 2, $3, balance_minor, $4, 'api:' || gen_random_uuid(), now() from account
    returning id, balance_after_minor),
  lot as (
    insert into credit_lots (store_id, entry_id, member_id, remaining_minor) select $1, id, $2, $3 from entry returning entry_id),
  fact as (
    insert into facts (store_id, name, ordering_key, data, refs, occurred_at)
    select $1, 'store_credit.added', 'member:' || $2,
           json_build_object('transaction_id', 'sct_' || id, 'customer', json_build_object('id', 'cust_' || $2, 'email', $7::text),
             'amount', $3, 'currency', 'JPY', 'previous_balance', balance_after_minor - $3, 'new_balance', balance_after_minor,
             'reason', $4, 'order_id', null),
           jsonb_build_object('memberId', $2, 'creditEntryId', id), now() from entry),
  answer as (
    select json_build_object('data', json_build_object('customer_id', 'cust_' || $2, 'balance', balance_after_minor, 'reserved', 0,
             'available', balance_after_minor, 'currency', 'JPY', 'updated_at', now()))::text as body from entry)
  insert into idempotent_responses (store_id, idempotency_key, fingerprint, status, body, created_at)
  select $1, $5, $6, 200, body, now() from answer
  returning body`

const server = createServer(async (request, response) => {
  const { amount, reason } = (await json(request)) as { amount: number; reason: string }
  const member = Number(/cust_(\d+)/.exec(request.url!)![1])
  const fingerprint = createHash('sha256').update(`${request.url}\n${amount}\n${reason}`).digest()
  const values = [storeId, member, amount, reason, request.headers['idempotency-key'], fingerprint]
  const { rows } = await pool.query({ name: 'add', text: TEXT, values: [...values, `person-${member}@example.com`] })
  response.writeHead(200, { 'content-type': 'application/json' }).end(rows[0].body)
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
