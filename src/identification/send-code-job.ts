import { type Static, Type } from 'typebox'
import { defineJob, type JobOutcome, type QueuedJob } from '#kit/jobs'
import type { Mail, MailOutcome } from '#kit/mail'
import { mapConcurrently } from '#kit/map-concurrently'
import { type Ctx, type Database, row, sql, text } from '#kit/postgres'
import { notify } from '#stores'
import { codeOf } from './code.ts'
import { codeMail } from './code-mail.ts'
import { listMailable } from './queries.ts'

const SendCode = Type.Object({ id: Type.String() })
/** An SMTP server serves other programs too. */
const AT_ONCE = 4
/** At once, after a minute and after five more: all while the code is good. */
const MAX_TRIES = 3
/** One alert reports all that fails meanwhile. */
const ALERT_EVERY_HOURS = 6

export type SendMail = (storeId: number, mail: Mail) => Promise<MailOutcome>

/**
 * Mails a code after the commit of its request. It may be mailed twice, then with the same code. What fails is tried again twice, while the
 * code is good; then an alert says so.
 */
export const sendCodeJob = defineJob(
  'send-identification-code',
  SendCode,
  { priority: 'high', dedupe: ({ id }) => id },
  sendCodes
)

type Deps = { db: Database; sendMail: SendMail }

async function sendCodes(
  { db, sendMail }: Deps,
  storeId: number,
  jobs: QueuedJob<Static<typeof SendCode>>[]
): Promise<JobOutcome[]> {
  const ids = jobs.map(({ input }) => input.id)
  const mails = await db.inStore(storeId, (ctx) => mailsOf(ctx, ids))
  const outcomes = await mapConcurrently(ids, AT_ONCE, async (id): Promise<MailOutcome | 'late' | null> => {
    const mail = mails.get(id)
    return mail === undefined || mail === 'late' ? (mail ?? null) : sendMail(storeId, mail)
  })
  const failures = outcomes.map((outcome, i) => failureOf(outcome, jobs[i]!.attempts))
  const given = failures.find((failure) => failure?.isLast)
  if (given) await db.inStore(storeId, (ctx) => report(ctx, given.reason))
  return failures.map((failure) =>
    failure && !failure.isLast ? { done: false, reason: failure.reason } : { done: true }
  )
}

/** Why a code was not mailed, and whether that is its end; null where nothing failed. */
function failureOf(outcome: MailOutcome | 'late' | null, attempts: number): { reason: string; isLast: boolean } | null {
  if (outcome === 'late') return { reason: 'its ten minutes were over before it could be sent', isLast: true }
  if (outcome === null || outcome.sent) return null
  return { reason: outcome.reason, isLast: outcome.isFinal || attempts >= MAX_TRIES }
}

/** What is to be sent now, by the code's id; `late` for what could not be sent in time. Nobody's code has no mail. */
async function mailsOf(ctx: Ctx, ids: string[]): Promise<Map<string, Mail | 'late'>> {
  const { name: shopName } = await ctx.tx.one(
    row({ name: text }),
    sql`select name from stores where store_id = ${ctx.storeId}`
  )
  const mails = new Map<string, Mail | 'late'>()
  for (const { id, email, expiresAt, usedAt } of await listMailable(ctx, ids)) {
    if (email === null || usedAt !== null) continue
    const isLate = Temporal.Instant.compare(expiresAt, ctx.now) <= 0
    mails.set(id, isLate ? 'late' : codeMail({ to: email, shopName, code: codeOf(ctx, id) }))
  }
  return mails
}

/** Without the address: alerts stay. */
const report = (ctx: Ctx, reason: string) =>
  notify(ctx, {
    kind: 'code_not_mailed',
    subject: 'A code could not be mailed',
    message: `A customer who asked to be identified by a mailed code did not get it: ${reason}. See SMTP_URL in docs/settings.md.`,
    atMostEveryHours: ALERT_EVERY_HOURS
  })
