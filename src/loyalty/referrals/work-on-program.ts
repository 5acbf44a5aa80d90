import type { Ctx, Database } from '#kit/postgres'
import { type Connector, type PlatformResult, succeeded } from '#platform'
import { notify, storeContext } from '#stores'
import { addWantedCodes } from '../referral-codes/add-wanted-codes.ts'
import { keepDiscount } from '../referral-codes/keep-discount.ts'
import { type NextVisit, type Program, type ProgramNews, writeProgram } from '../referral-codes/program-queries.ts'
import { Ended } from '../referral-codes/visit.ts'
import { checkReferrals } from './check-referrals.ts'

/**
 * What referrals need of the platform: whether those who came by codes are others than who sent them, the discount of the codes, and the
 * codes that it does not have yet. Returns when there is more to do.
 */
export async function workOnProgram(
  deps: { db: Database; storeId: number; connector: Connector },
  program: Program
): Promise<PlatformResult<NextVisit>> {
  const { currency, now } = await deps.db.inStore(deps.storeId, async (ctx) => ({
    currency: (await storeContext(ctx)).currency,
    now: ctx.now
  }))
  const record = async (news: ProgramNews) => {
    if (await deps.db.inStore(deps.storeId, (ctx) => writeProgram(ctx, program, news))) return
    throw new Ended({ kind: 'unavailable', message: 'Another process works on the referrals of the store' })
  }
  const visit = { ...deps, program, currency, now, record }
  try {
    const isMoreToCheck = await checkReferrals(visit)
    const discountId = await keepDiscount(visit)
    const next = discountId === null ? 'asked' : await addWantedCodes(visit, discountId)
    return succeeded(isMoreToCheck ? 'now' : next)
  } catch (err) {
    if (err instanceof Ended) {
      if (err.failure.code === 'access_denied') await deps.db.inStore(deps.storeId, reportDenied)
      return { ok: false, failure: err.failure }
    }
    throw err
  }
}

const reportDenied = (ctx: Ctx): Promise<void> =>
  notify(ctx, {
    kind: 'loyalty_referrals_denied',
    subject: 'The app may not change the discount of referral codes',
    message:
      'The platform does not let the app read or change the discount that friends get by referral codes, or read the addresses of customers. It is tried again ' +
      "until it does: open the app in the shop's admin to grant what is missing.",
    isOnce: true
  })
