import { enqueue } from '#kit/jobs'
import type { Ctx } from '#kit/postgres'
import { randomToken } from '#kit/secrets'
import { lookUpCustomers } from '#members'
import { otp, softlogin, storefrontSetting } from '#storefront-settings'
import { CODE_MINUTES } from './code.ts'
import { deleteExpired, insertCode } from './queries.ts'
import { notOffered } from './refusals.ts'
import { sendCodeJob } from './send-code-job.ts'

/** Long enough that a mail which comes late is not answered by another error than a wrong code. */
const KEPT_HOURS = 1
const MAX_DELETED = 1_000

/**
 * Has a code mailed to an address, if a customer has it; the answer and what is written are the same if nobody has. Refuses where the
 * store does not identify customers so.
 */
export async function requestIdentification(
  ctx: Ctx,
  email: string
): Promise<{ id: string; expiresAt: Temporal.Instant }> {
  await assertOffered(ctx)
  await deleteExpired(ctx, ctx.now.subtract({ hours: KEPT_HOURS }), MAX_DELETED)
  const [found = []] = await lookUpCustomers(ctx, [{ memberId: null, platformId: null, email }])
  const code = {
    id: randomToken(),
    memberId: ownerOf(found)?.id ?? null,
    expiresAt: ctx.now.add({ minutes: CODE_MINUTES })
  }
  await insertCode(ctx, code)
  await enqueue(ctx, sendCodeJob, [{ id: code.id }])
  return code
}

/** Refuses where neither setting of the storefront is on. */
export async function assertOffered(ctx: Ctx): Promise<void> {
  const [{ otp_enabled }, { enabled }] = [await storefrontSetting(ctx, otp), await storefrontSetting(ctx, softlogin)]
  if (!otp_enabled && !enabled) throw notOffered()
}

/** Of several who share the address, which all of them can read, the one who is or was a member, else the oldest. */
function ownerOf(found: Awaited<ReturnType<typeof lookUpCustomers>>[number]) {
  const live = found.filter(({ isDeleted }) => !isDeleted).sort((a, b) => a.id - b.id)
  return live.find(({ status }) => status !== null) ?? live[0]
}
