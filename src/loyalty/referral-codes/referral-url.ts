import type { Ctx } from '#kit/postgres'
import { randomCode } from '#kit/random'
import { CODE_LENGTH, findCode, insertCode } from './code-queries.ts'
import { askForReferrals, findOpenShop } from './program-queries.ts'

/**
 * The address by which friends of a customer come to the shop, with the code of the customer; null where no rule rewards referrals now. The first
 * who asks gives the customer their code, which the platform has a moment later.
 */
export async function referralUrlOf(ctx: Ctx, memberId: number): Promise<string | null> {
  const domain = await findOpenShop(ctx)
  if (domain === null) return null
  let code = await findCode(ctx, memberId)
  if (code === null) {
    if (await insertCode(ctx, memberId, randomCode(CODE_LENGTH))) await askForReferrals(ctx)
    code = await findCode(ctx, memberId)
  }
  return code === null ? null : `https://${domain}/discount/${code}`
}
