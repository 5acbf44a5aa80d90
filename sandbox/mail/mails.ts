import type { Mail } from '#kit/mail'
import { instant, int, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

/** So many of a shop are kept. */
export const KEPT_MAILS = 100

const SentMail = row({
  id: int,
  sentTo: text,
  senderName: text,
  subject: text,
  contentText: text,
  contentHtml: text,
  sentAt: instant
})
/** A mail that the app has sent, by the shop's time. */
export type SentMail = RowOf<typeof SentMail>

/** Keeps a mail, and forgets the oldest of many. */
export async function insertMail(q: Queries, storeId: number, mail: Mail, now: Temporal.Instant): Promise<void> {
  await q.run(sql`
    insert into sandbox.mails (store_id, sent_to, sender_name, subject, content_text, content_html, sent_at)
    values (${storeId}, ${mail.to}, ${mail.senderName}, ${mail.subject}, ${mail.text}, ${mail.html}, ${now})`)
  await q.run(sql`
    delete from sandbox.mails
     where store_id = ${storeId}
       and id <= (select id from sandbox.mails where store_id = ${storeId} order by id desc offset ${KEPT_MAILS} limit 1)`)
}

/** Null for a number that the shop has no mail of. */
export function findMail(q: Queries, storeId: number, id: number): Promise<SentMail | null> {
  return q.maybeOne(
    SentMail,
    sql`
    select id, sent_to, sender_name, subject, content_text, content_html, sent_at from sandbox.mails
     where store_id = ${storeId} and id = ${id}`
  )
}

/** Newest first. */
export function listMails(q: Queries, storeId: number): Promise<SentMail[]> {
  return q.many(
    SentMail,
    sql`
    select id, sent_to, sender_name, subject, content_text, content_html, sent_at from sandbox.mails
     where store_id = ${storeId} order by id desc limit ${KEPT_MAILS}`
  )
}
