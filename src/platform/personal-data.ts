import { certainlyAbout, definePersonalData, endOf, inWindows, WINDOW } from '#kit/personal-data'
import { int, oneOf, row, sql, text } from '#kit/postgres'
import { stripMessage } from './erasures/strip-message.ts'

/** Messages of the platform as they came: what is left of one is what has to be handled. Errors may quote them. */
export const inboundHeld = definePersonalData({
  table: 'inbound_webhooks',
  columns: ['body', 'last_error'],
  held: ({ storeId }, person) => sql`
    select jsonb_build_object('topic', topic, 'received_at', received_at, 'body', body) as held from inbound_webhooks
     where store_id = ${storeId} and body ~* ${certainlyAbout(person)} order by id limit 10000`,
  erase: inWindows({
    first: 0,
    keyOf: Number,
    endOf: (ctx, after) =>
      endOf(
        ctx,
        sql`
        select max(id) as last from (
          select id from inbound_webhooks where store_id = ${ctx.storeId} and id > ${after} order by id limit ${WINDOW}) w`
      ),
    async erase(ctx, person, after, end) {
      const orders =
        person.orderNumbers.length === 0 ? '(?!a)a' : `(?<![0-9])(?:${person.orderNumbers.join('|')})(?![0-9])`
      const found = await ctx.tx.many(
        row({ id: int, topic: text, status: oneOf('waiting', 'done', 'failed', 'ignored'), body: text }),
        sql`
        select id, topic, status, body from inbound_webhooks
         where store_id = ${ctx.storeId} and id > ${after} and id <= ${end} and body <> '{}'
           and (body ~* ${certainlyAbout(person)} or body ~ ${orders})`
      )
      const erased = found.map(({ id, topic, status, body }) => {
        const left = status === 'waiting' ? stripMessage(topic, body) : null
        return { id, was: body, body: left ?? '{}', isDropped: status === 'waiting' && left === null }
      })
      const changed = erased.filter(({ was, body }) => was !== body)
      const bodies = await ctx.tx.run(sql`
        update inbound_webhooks w
           set body = e.body, last_error = case when w.last_error is not null then 'erased with the person' end,
               status = case when e.is_dropped then 'ignored' else w.status end,
               lease_owner = case when e.is_dropped then null else w.lease_owner end,
               leased_until = case when e.is_dropped then null else w.leased_until end
          from unnest(${changed.map(({ id }) => id)}::bigint[], ${changed.map(({ body }) => body)}::text[],
                      ${changed.map(({ isDropped }) => isDropped)}::boolean[]) as e(id, body, is_dropped)
         where w.store_id = ${ctx.storeId} and w.id = e.id`)
      const errors = await ctx.tx.run(sql`
        update inbound_webhooks set last_error = 'erased with the person'
         where store_id = ${ctx.storeId} and id > ${after} and id <= ${end} and last_error ~* ${certainlyAbout(person)}`)
      return bodies + errors
    }
  })
})
