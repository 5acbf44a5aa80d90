import { internalId } from '#kit/ids'
import { type Ctx, instant, int, type RowOf, row, sql, text } from '#kit/postgres'
import { noticeNotFound } from './refusals.ts'

const Notice = row({ id: int, kind: text, subject: text, message: text, createdAt: instant })
/** Something that the people who run a store should hear of: whole sentences, ready to be mailed. */
export type Notice = RowOf<typeof Notice>

/** `atMostEveryHours`: within so many hours only the first of its kind is written. */
export type Notification = { kind: string; subject: string; message: string; atMostEveryHours?: number }

/** Writes a notice in the transaction of what it tells. */
export async function notify(ctx: Ctx, { kind, subject, message, atMostEveryHours = 0 }: Notification): Promise<void> {
  const since = ctx.now.subtract({ hours: atMostEveryHours })
  await ctx.tx.run(
    sql`insert into notices (store_id, kind, subject, message, created_at)
        select ${ctx.storeId}, ${kind}, ${subject}, ${message}, ${ctx.now}
         where ${atMostEveryHours} = 0 or not exists (
           select from notices where store_id = ${ctx.storeId} and kind = ${kind} and created_at > ${since})`
  )
}

/** Newest first. `before` is the `notice_…` that the last page ended with; `more` says whether a page follows. */
export async function listNotices(
  ctx: Ctx,
  { before, limit = 50 }: { before?: string; limit?: number } = {}
): Promise<{ notices: Notice[]; more: boolean }> {
  const beforeId = before === undefined ? Number.MAX_SAFE_INTEGER : internalId('notice', before)
  if (beforeId === null) throw noticeNotFound(before!)
  const rows = await ctx.tx.many(
    Notice,
    sql`select id, kind, subject, message, created_at from notices
         where store_id = ${ctx.storeId} and id < ${beforeId}
         order by id desc limit ${limit + 1}`
  )
  return { notices: rows.slice(0, limit), more: rows.length > limit }
}
