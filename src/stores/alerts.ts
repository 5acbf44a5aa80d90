import { internalId } from '#kit/ids'
import { type Ctx, instant, int, type RowOf, row, sql, text } from '#kit/postgres'
import { alertNotFound } from './refusals.ts'

const Alert = row({ id: int, kind: text, subject: text, message: text, createdAt: instant })
/** A message to the people who run a store: whole sentences, ready to be mailed. */
export type Alert = RowOf<typeof Alert>

/**
 * `atMostEveryHours`: only the first alert of its kind within that many hours is written, or the first `atMost`. `isOnce`: only if
 * there is none of its kind with the same message.
 */
export type NewAlert = {
  kind: string
  subject: string
  message: string
  atMostEveryHours?: number
  atMost?: number
  isOnce?: boolean
}

/** Writes an alert in the transaction of what it reports. */
export async function notify(
  ctx: Ctx,
  { kind, subject, message, atMostEveryHours = 0, atMost = 1, isOnce = false }: NewAlert
): Promise<void> {
  const since = ctx.now.subtract({ hours: atMostEveryHours })
  await ctx.tx.run(
    sql`insert into alerts (store_id, kind, subject, message, created_at)
        select ${ctx.storeId}, ${kind}, ${subject}, ${message}, ${ctx.now}
         where (${atMostEveryHours} = 0 or ${atMost} > (
           select count(*) from (
             select from alerts
              where store_id = ${ctx.storeId} and kind = ${kind} and created_at > ${since} limit ${atMost} offset 0) as recent))
           and (not ${isOnce}::boolean or not exists (
           select from alerts where store_id = ${ctx.storeId} and kind = ${kind} and message = ${message} offset 0))
        returning id`
  )
}

/** Newest first. `before` is the last `alert_…` of the previous page; `more` says whether another page follows. */
export async function listAlerts(
  ctx: Ctx,
  { before, limit = 50 }: { before?: string; limit?: number } = {}
): Promise<{ alerts: Alert[]; more: boolean }> {
  const beforeId = before === undefined ? Number.MAX_SAFE_INTEGER : internalId('alert', before)
  if (beforeId === null) throw alertNotFound(before!)
  const rows = await ctx.tx.many(
    Alert,
    sql`select id, kind, subject, message, created_at from alerts
         where store_id = ${ctx.storeId} and id < ${beforeId}
         order by id desc limit ${limit + 1}`
  )
  return { alerts: rows.slice(0, limit), more: rows.length > limit }
}
