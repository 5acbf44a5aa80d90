import { checkUnsentNow } from '#billing'
import { retryJobsNow } from '#kit/jobs'
import type { Ctx } from '#kit/postgres'
import { retryDeniedLoyalty } from '#loyalty'
import { retryMirror } from '#mirror'
import { retryInboundNow } from '#platform'
import { restartDeniedReadIns } from '../read-in/read-ins.ts'

/**
 * Has everything done now that the platform has refused or denied: its token is taken again, or it grants more scopes. By itself it
 * would be done in minutes, hours or a day, and what has failed for good not at all.
 */
export async function retryWhatWaits(ctx: Ctx): Promise<void> {
  await checkUnsentNow(ctx)
  await retryInboundNow(ctx)
  await restartDeniedReadIns(ctx)
  await retryMirror(ctx)
  await retryDeniedLoyalty(ctx)
  await retryJobsNow(ctx)
}
