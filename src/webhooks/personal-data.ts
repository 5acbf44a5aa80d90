import {
  certainlyAbout,
  changedBy,
  definePersonalData,
  type ErasedPart,
  identifiersOf,
  namedIn,
  type Person,
  WINDOW
} from '#kit/personal-data'
import { type Ctx, day, int, nullable, row, sql, text } from '#kit/postgres'

/** Deliveries are in partitions by day, with ids that increase from day to day. */
type Place = { day: string; id: number }
const FIRST: Place = { day: '1970-01-01', id: 0 }
const placeOf = (after: string | null): Place => {
  if (after === null) return FIRST
  const [on, id] = after.split(' ')
  return { day: on!, id: Number(id) }
}
const End = row({ day: nullable(day), id: nullable(int) })

/**
 * The bodies that were sent and that are still to be sent. What waits is sent without the person: receivers count it, and cannot send
 * anybody an e-mail for it.
 */
export const deliveriesHeld = definePersonalData({
  table: 'webhook_deliveries',
  columns: ['body'],
  held: ({ storeId }, { memberIds, subscriptionIds }) => sql`
    select jsonb_build_object('sent_to', e.url, 'event', d.event_type, 'created_at', d.created_at, 'body', d.body) as held
      from webhook_deliveries d join webhook_endpoints e on e.store_id = ${storeId} and e.id = d.endpoint_id
     where d.store_id = ${storeId}
       and d.ordering_key = any(${[...memberIds.map((id) => `member:${id}`), ...subscriptionIds.map((id) => `subscription:${id}`)]}::text[])
     order by d.day, d.id limit 10000`,
  async erase(ctx, person, text) {
    const after = placeOf(text)
    const end = await ctx.tx.one(
      End,
      sql`
      select max(w.day) as day, max(w.id) as id from (
        select d.day, d.id from webhook_deliveries d
         where d.store_id = ${ctx.storeId} and (d.day, d.id) > (${after.day}::date, ${after.id}::bigint)
         order by d.day, d.id limit ${WINDOW}) w`
    )
    if (end.day === null || end.id === null) return { changed: 0, next: null }
    return eraseBodies(ctx, person, after, { day: end.day.toString(), id: end.id })
  }
})

async function eraseBodies(ctx: Ctx, person: Person, after: Place, end: Place): Promise<ErasedPart> {
  const keys = [
    ...person.memberIds.map((id) => `member:${id}`),
    ...person.subscriptionIds.map((id) => `subscription:${id}`)
  ]
  const found = await ctx.tx.many(
    row({ id: int, document: text }),
    sql`
    select d.id, d.body as document from webhook_deliveries d
     where d.store_id = ${ctx.storeId} and (d.day, d.id) > (${after.day}::date, ${after.id}::bigint)
       and (d.day, d.id) <= (${end.day}::date, ${end.id}::bigint)
       and (d.ordering_key = any(${keys}::text[]) or d.body ~* ${namedIn(person)})`
  )
  const changed = changedBy(person, found)
  const next = `${end.day} ${end.id}`
  if (changed.length === 0) return { changed: 0, next }
  const done = await ctx.tx.run(sql`
    update webhook_deliveries d set body = c.document
      from unnest(${changed.map(({ id }) => id)}::bigint[], ${changed.map(({ document }) => document)}::text[]) as c(id, document)
     where d.store_id = ${ctx.storeId} and d.id = c.id and d.day between ${after.day}::date and ${end.day}::date`)
  return { changed: done, next }
}

/** What receivers answered: they may say back what was sent. */
export const triesHeld = definePersonalData({
  table: 'webhook_tries',
  columns: ['response_text'],
  held: null,
  async erase(ctx, person, text) {
    const after = placeOf(text)
    const end = await ctx.tx.one(
      End,
      sql`
      select max(w.day) as day, max(w.delivery_id) as id from (
        select t.day, t.delivery_id from webhook_tries t
         where t.store_id = ${ctx.storeId} and (t.day, t.delivery_id) > (${after.day}::date, ${after.id}::bigint)
         order by t.day, t.delivery_id limit ${WINDOW}) w`
    )
    if (end.day === null || end.id === null) return { changed: 0, next: null }
    const changed = await ctx.tx.run(sql`
      update webhook_tries t set response_text = regexp_replace(t.response_text, ${identifiersOf(person)}, 'erased', 'gi')
       where t.store_id = ${ctx.storeId} and (t.day, t.delivery_id) > (${after.day}::date, ${after.id}::bigint)
         and (t.day, t.delivery_id) <= (${end.day.toString()}::date, ${end.id}::bigint)
         and (t.response_text ~* ${certainlyAbout(person)}
              or (t.response_text ~* ${identifiersOf(person)} and t.delivery_id = any(array(
                    select d.id from webhook_deliveries d
                     where d.store_id = ${ctx.storeId} and d.ordering_key = any(${[
                       ...person.memberIds.map((id) => `member:${id}`),
                       ...person.subscriptionIds.map((id) => `subscription:${id}`)
                     ]}::text[])))))`)
    return { changed, next: `${end.day} ${end.id}` }
  }
})
