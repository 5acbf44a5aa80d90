import { type Bound, int, nullable, row, sql, text } from '../postgres/index.ts'
import { definePersonalData, inOneStep, inWindows, WINDOW } from './define-personal-data.ts'
import { documentEraser } from './json-eraser.ts'
import { certainlyAbout, identifiersOf, namedIn, type Person } from './person.ts'

/** Events carry who they are about, and are kept for 90 days. Their numbers and positions stay. */
export const factsHeld = definePersonalData({
  table: 'facts',
  columns: ['data'],
  held: ({ storeId }, person) => sql`
    select jsonb_build_object('event', name, 'occurred_at', occurred_at, 'data', data) as held from facts
     where store_id = ${storeId} and ordering_key = any(${keysOf(person)}::text[])
     order by id limit 10000`,
  erase: inWindows({
    first: 0,
    keyOf: Number,
    endOf: (ctx, after) =>
      endOf(
        ctx,
        sql`
        select max(id) as last from (
          select id from facts where store_id = ${ctx.storeId} and id > ${after} order by id limit ${WINDOW}) w`
      ),
    async erase(ctx, person, after, end) {
      const found = await ctx.tx.many(
        row({ id: int, document: text }),
        sql`
        select id, data::text as document from facts
         where store_id = ${ctx.storeId} and id > ${after} and id <= ${end}
           and (ordering_key = any(${keysOf(person)}::text[]) or (refs->>'memberId')::bigint = any(${person.memberIds}::bigint[])
                or (refs->>'subscriptionId')::bigint = any(${person.subscriptionIds}::bigint[])
                or data::text ~* ${namedIn(person)})`
      )
      const changed = changedBy(person, found)
      if (changed.length === 0) return 0
      return ctx.tx.run(sql`
        update facts f set data = c.document::json
          from unnest(${changed.map(({ id }) => id)}::bigint[], ${changed.map(({ document }) => document)}::text[]) as c(id, document)
         where f.store_id = ${ctx.storeId} and f.id = c.id`)
    }
  })
})

/** Why a part of the service could not handle an event. */
export const factRetriesHeld = definePersonalData({
  table: 'fact_retries',
  columns: ['last_error'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update fact_retries set last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and last_error ~* ${certainlyAbout(person)}`
  )
})

/** Jobs name rows by our numbers; their errors may quote the platform. */
export const jobsHeld = definePersonalData({
  table: 'jobs',
  columns: ['payload', 'last_error'],
  held: null,
  erase: inOneStep(
    ({ storeId }, person) => sql`
    update jobs set last_error = regexp_replace(last_error, ${identifiersOf(person)}, 'erased', 'gi')
     where store_id = ${storeId} and last_error ~* ${certainlyAbout(person)}`
  )
})

/** Answers that are kept for a day, for requests that are repeated. The keys are the callers' own, and may be anything. */
export const responsesHeld = definePersonalData({
  table: 'idempotent_responses',
  columns: ['idempotency_key', 'body'],
  held: null,
  async erase(ctx, person) {
    const found = await ctx.tx.many(
      row({ id: text, document: text }),
      sql`
      select idempotency_key as id, body as document from idempotent_responses
       where store_id = ${ctx.storeId} and body is not null and body ~* ${namedIn(person)}`
    )
    const changed = changedBy(person, found)
    const bodies = await ctx.tx.run(sql`
      update idempotent_responses r set body = c.document
        from unnest(${changed.map(({ id }) => id)}::text[], ${changed.map(({ document }) => document)}::text[]) as c(id, document)
       where r.store_id = ${ctx.storeId} and r.idempotency_key = c.id`)
    // Whoever repeats a request under a key that names the person does it anew: the key is not there to be known again.
    const keys = await ctx.tx.run(sql`
      delete from idempotent_responses
       where store_id = ${ctx.storeId} and idempotency_key ~* ${certainlyAbout(person)}`)
    return { changed: bodies + keys, next: null }
  }
})

const keysOf = (person: Person) => [
  ...person.memberIds.map((id) => `member:${id}`),
  ...person.subscriptionIds.map((id) => `subscription:${id}`)
]

/** The last key of a window; null behind the last row. */
export async function endOf(ctx: Bound, statement: ReturnType<typeof sql>): Promise<number | null> {
  return (await ctx.tx.one(row({ last: nullable(int) }), statement)).last
}

/** The documents that look different without the person. */
export function changedBy<Id>(person: Person, found: { id: Id; document: string }[]): { id: Id; document: string }[] {
  const erase = documentEraser(person)
  return found.flatMap(({ id, document }) => {
    const erased = erase(document)
    return isSame(document, erased) ? [] : [{ id, document: erased }]
  })
}

/** Whatever spacing it was stored with. */
const isSame = (document: string, erased: string): boolean => {
  if (document === erased) return true
  try {
    return JSON.stringify(JSON.parse(document)) === erased
  } catch {
    return false
  }
}
