import { type Static, Type } from 'typebox'
import type { Ctx } from '#kit/postgres'
import { findBillingAttempt } from '#views'
import { idInPath, noSuch } from '../../shared/path-ids.ts'
import { StoreParams } from '../store.ts'
import { type BillingAttemptBody, presentBillingAttempt } from './present-billing-attempt.ts'

/** Names a billing attempt of a store in a path. */
export const AttemptParams = Type.Object({
  ...StoreParams.properties,
  attempt: Type.String({ description: 'a billing attempt id', examples: ['ba_301'] })
})

export const attemptIdOf = ({ attempt }: Static<typeof AttemptParams>) => idInPath('ba', attempt)

/** A billing attempt as the transaction sees it. Refuses one that is not there. */
export async function readAttempt(ctx: Ctx, id: number): Promise<Static<typeof BillingAttemptBody>> {
  const found = await findBillingAttempt(ctx.tx, ctx.storeId, id)
  if (!found) throw noSuch('ba', `ba_${id}`)
  return presentBillingAttempt(found)
}
