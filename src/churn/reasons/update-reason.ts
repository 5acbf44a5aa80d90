import type { Ctx } from '#kit/postgres'
import { noSuchReason } from '../refusals.ts'
import { listReasons, writeReason } from './reason-queries.ts'
import { isReasonAlias, type Reason, type ReasonChange } from './reasons.ts'

/** Changes what is given; the rest stays. Refuses an alias that is none of the nine. */
export async function updateReason(ctx: Ctx, alias: string, change: ReasonChange): Promise<Reason> {
  if (!isReasonAlias(alias)) throw noSuchReason(alias)
  await writeReason(ctx, alias, change)
  return (await listReasons(ctx)).find((one) => one.alias === alias)!
}
