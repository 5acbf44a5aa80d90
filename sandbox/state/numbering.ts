import { int, type Queries, row, sql, textList } from '#kit/postgres'

const Allotted = row({ orders: textList, lines: textList, transactions: textList })
export type Allotted = { orders: string[]; lines: string[]; transactions: string[] }

/** New ids for a batch of orders, their lines and their transactions, in one statement. */
export async function allotOrderIds(
  q: Queries,
  count: { orders: number; lines: number; transactions: number }
): Promise<Allotted> {
  return q.one(
    Allotted,
    sql`
    select array(select nextval('sandbox.order_ids')::text from generate_series(1, ${count.orders}::int)) as orders,
           array(select nextval('sandbox.line_item_ids')::text from generate_series(1, ${count.lines}::int)) as lines,
           array(select nextval('sandbox.transaction_ids')::text from generate_series(1, ${count.transactions}::int))
             as transactions`
  )
}

/** The first of `count` order numbers. Numbers have no gaps, so the shop's row stays locked until commit. */
export async function allotOrderNumbers(q: Queries, storeId: number, count: number): Promise<number> {
  const { first } = await q.one(
    row({ first: int }),
    sql`
    update sandbox.shops set last_order_number = last_order_number + ${count}::int
     where store_id = ${storeId} returning last_order_number - ${count}::int + 1 as first`
  )
  return first
}
