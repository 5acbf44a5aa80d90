import { type Ctx, int, row, sql, text } from '#kit/postgres'

/** The subscription of a contract (platform number) and its customer; not locked. */
export function findSubscriptionByContract(ctx: Ctx, contractId: string) {
  return ctx.tx.maybeOne(
    row({ id: int, memberId: int, customerPlatformId: text }),
    sql`
    select s.id, s.member_id, m.platform_customer_id as customer_platform_id
      from subscriptions s join members m on m.store_id = ${ctx.storeId} and m.id = s.member_id
     where s.store_id = ${ctx.storeId} and s.platform_contract_id = ${contractId}`
  )
}

/** Contracts (platform numbers) of the live subscriptions of these customers (likewise), in order of our ids. */
export async function listContractsOfCustomers(ctx: Ctx, customerIds: string[]): Promise<string[]> {
  const rows = await ctx.tx.many(
    row({ contractId: text }),
    sql`
    select s.platform_contract_id as contract_id
      from members m join subscriptions s on s.store_id = ${ctx.storeId} and s.member_id = m.id
     where m.store_id = ${ctx.storeId} and m.platform_customer_id = any(${customerIds}::text[])
       and s.status in ('active', 'paused')
     order by s.id`
  )
  return rows.map(({ contractId }) => contractId)
}

/** Live subscriptions that were given to these customers (platform numbers); not locked. */
export async function listGiftsTo(ctx: Ctx, customerIds: string[]): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ id: int }),
    sql`
    select s.id from members m join subscriptions s on s.store_id = ${ctx.storeId} and s.receiver_member_id = m.id
     where m.store_id = ${ctx.storeId} and m.platform_customer_id = any(${customerIds}::text[])
       and s.status in ('active', 'paused')`
  )
  return rows.map(({ id }) => id)
}

/** Active subscriptions whose next date is ahead and differs from that of the platform's contract as it was last read. */
export async function listDatesBehind(ctx: Ctx): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ id: int }),
    sql`
    select id from subscriptions
     where store_id = ${ctx.storeId} and status = 'active' and next_billing_at > ${ctx.now}
       and date_trunc('second', next_billing_at) <> date_trunc('second', platform_next_billing_at)
     order by id`
  )
  return rows.map(({ id }) => id)
}
