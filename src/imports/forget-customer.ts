import { type Ctx, sql } from '#kit/postgres'

/**
 * Removes a customer's data from rows: their fields and original text. The rows' outcomes stay. Rows are also matched by the
 * e-mail address stored here, since a refused row may have no customer id. Returns the number of rows.
 */
export async function forgetCustomer(
  ctx: Ctx,
  { platformCustomerId, email }: { platformCustomerId: string; email: string | null }
): Promise<number> {
  return ctx.tx.run(sql`
    update import_rows r set input = case when r.status = 'waiting' then '{}'::jsonb end, original = null
     where r.store_id = ${ctx.storeId} and num_nonnulls(r.input, r.original) > 0 and r.status <> 'creating'
       and (position(lower(${email}::text) in lower(r.original)) > 0
            or exists (select from members m where m.store_id = ${ctx.storeId} and m.platform_customer_id = ${platformCustomerId}
                         and position(lower(m.email) in lower(r.original)) > 0)
            or lower(r.input->>'email') = lower(${email}::text)
            or lower(r.input->>'email') in (select lower(m.email) from members m
                where m.store_id = ${ctx.storeId} and m.platform_customer_id = ${platformCustomerId})
            or regexp_replace(r.input->>'customer_id', '^.*/', '') = ${platformCustomerId}
            or r.platform_customer_id = ${platformCustomerId}
            or r.subscription_id in (select s.id from subscriptions s
                 join members m on m.store_id = ${ctx.storeId} and m.id = s.member_id
                where s.store_id = ${ctx.storeId} and m.platform_customer_id = ${platformCustomerId}))`)
}
