import assert from 'node:assert/strict'
import { type Database, int, nullable, row, sql, text } from '#kit/postgres'

const Code = row({ code: text, status: text, reservation: text })

/**
 * No customer may use a code on the platform whose credit is not reserved any more, and no credit is released that an order has used. Both
 * hold at every moment, so it may be asked while the service works.
 */
export async function examineCodes(db: Database, storeId: number): Promise<void> {
  const { usable, released } = await db.inInstallation(async (tx) => ({
    usable: await tx.many(
      Code,
      sql`
      select c.code, c.status, r.status as reservation
        from sandbox.discounts d
        join sandbox.redeem_codes k on k.store_id = ${storeId} and k.discount_id = d.id
        join stores s on s.store_id = ${storeId}
        join credit_codes c on c.store_id = ${storeId} and upper(k.code) = c.code
        join credit_reservations r on r.store_id = ${storeId} and r.id = c.reservation_id
       where d.store_id = ${storeId} and d.usage_count = 0 and (d.ends_at is null or d.ends_at > s.clock_at) and r.status <> 'reserved'`
    ),
    released: await tx.many(
      Code,
      sql`
      select c.code, c.status, r.status as reservation
        from sandbox.orders o
       cross join lateral jsonb_array_elements(o.discounts) d
        join credit_codes c on c.store_id = ${storeId} and upper(d ->> 'code') = c.code
        join credit_reservations r on r.store_id = ${storeId} and r.id = c.reservation_id
       where o.store_id = ${storeId} and r.status = 'aborted'`
    )
  }))
  assert.deepEqual(usable, [], 'a code can be used whose credit is released')
  assert.deepEqual(released, [], 'the credit of a used code is released')
}

const Balance = row({ customerId: text, balance: int, reserved: int, entries: int, lots: int })
const Booked = row({ code: nullable(text), times: int, amountMinor: int })

/** In the end: the sums of each customer, and what was booked of each code. */
export async function examineCredit(
  db: Database,
  storeId: number,
  expected: { balances: Map<string, number>; taken: Map<string, number> }
): Promise<void> {
  const { balances, booked, left } = await db.inInstallation(async (tx) => ({
    balances: await tx.many(
      Balance,
      sql`
      select m.platform_customer_id as customer_id, a.balance_minor as balance, a.reserved_minor as reserved,
             (select sum(amount_minor) from credit_entries where store_id = ${storeId} and member_id = m.id)::bigint as entries,
             (select coalesce(sum(remaining_minor), 0) from credit_lots where store_id = ${storeId} and member_id = m.id)::bigint as lots
        from members m join credit_accounts a on a.store_id = ${storeId} and a.member_id = m.id
       where m.store_id = ${storeId} order by m.id`
    ),
    booked: await tx.many(
      Booked,
      sql`
      select r.source as code, count(*) as times, -sum(e.amount_minor)::bigint as amount_minor
        from discount_redemptions r join credit_entries e on e.store_id = ${storeId} and e.id = r.entry_id
       where r.store_id = ${storeId} group by r.source`
    ),
    left: await tx.one(
      row({ count: int }),
      sql`
      select count(*) as count from sandbox.discounts d join stores s on s.store_id = ${storeId}
       where d.store_id = ${storeId} and d.usage_count = 0 and (d.ends_at is null or d.ends_at > s.clock_at)`
    )
  }))
  const wrong = balances
    .map((one) => ({ ...one, expected: expected.balances.get(one.customerId) ?? 0 }))
    .filter(({ balance, reserved, entries, lots, expected: minor }) =>
      [balance - minor, entries - minor, lots - minor, reserved].some((difference) => difference !== 0)
    )
  assert.deepEqual(wrong, [], 'credit exists twice, or is lost')
  assert.equal(balances.length, expected.balances.size)
  const ofCodes = booked.map(({ code, times, amountMinor }) => [code, times, amountMinor])
  const wanted = [...expected.taken].map(([code, amountMinor]) => [code, 1, amountMinor])
  assert.deepEqual(ofCodes.sort(), wanted.sort(), 'a used code is not booked once for what its order took')
  assert.equal(left.count, 0, 'codes are left open on the platform')
}
