import { record } from '#kit/outbox'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { type CustomerUpdate, truncateFields } from './customer.ts'
import { customerCreated } from './events/customer-created.ts'

/**
 * Inserts the customers that have no row, and records that they are known now. Existing ones stay as they are and use up no number of
 * the sequence. Those who were erased are left out; a process that cannot tell who that is inserts nobody where somebody was.
 */
export async function insertMissingCustomers(ctx: Ctx, given: CustomerUpdate[]): Promise<void> {
  const customers = given.map(truncateFields)
  const keys = customers.map(({ id }) => ctx.pseudonym(ctx.storeId, `customer:${id}`))
  const inserted = await ctx.tx.many(
    row({ id: int, platformCustomerId: text }),
    sql`
    insert into members (store_id, platform_customer_id, email, first_name, last_name, created_at, updated_at)
    select ${ctx.storeId}, c.id, c.email, c.first_name, c.last_name, ${ctx.now}, ${ctx.now}
      from unnest(${customers.map((c) => c.id)}::text[], ${customers.map((c) => c.email)}::text[],
                  ${customers.map((c) => c.firstName)}::text[], ${customers.map((c) => c.lastName)}::text[],
                  ${keys}::bytea[])
             as c(id, email, first_name, last_name, subject_key)
     where not exists (
             select from members k where k.store_id = ${ctx.storeId} and k.platform_customer_id = c.id offset 0)
       and not exists (
             select from erased_subjects e
              where e.store_id = ${ctx.storeId} and e.subject_key = coalesce(c.subject_key, e.subject_key) offset 0)
     order by c.id
    on conflict (store_id, platform_customer_id) do nothing
    returning id, platform_customer_id`
  )
  if (inserted.length === 0) return
  const of = new Map(customers.map((customer) => [customer.id, customer]))
  const created = inserted.map(({ id, platformCustomerId }) => {
    const { createdAt = null, isPast = false } = of.get(platformCustomerId)!
    return customerCreated({ id, createdAt, isPast })
  })
  await record(ctx, ...created)
}
