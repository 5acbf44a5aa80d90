import { isDeepStrictEqual } from 'node:util'
import type { CouponValue, PlatformFailure, PlatformResult } from '#platform'
import { notify } from '#stores'
import { findFreePiece } from '../coupons/free-piece.ts'
import type { ProgramTerms } from './program.ts'
import { forgetDiscounts } from './program-queries.ts'
import { take, type Visit, valueOrRefusal } from './visit.ts'

type On = Extract<ProgramTerms, { isOn: true }>

/**
 * Brings the discount of the codes to what the rules want: makes it, changes it, ends it, and begins it again. It is looked for by its first code
 * before it is made, since the answer of a call before may have been lost. Returns its number where codes can be used now, else null.
 */
export async function keepDiscount(visit: Visit): Promise<string | null> {
  const { wanted, applied, discountId, isStuck } = visit.program
  // The price of a free product is the shop's, and may be another by now.
  const isPriced = wanted.isOn && wanted.freeProductId !== null
  if (isStuck && !isPriced) return null
  const isApplied = applied !== null && isDeepStrictEqual({ ...applied }, { ...wanted })
  if (isApplied && !isPriced) return wanted.isOn ? discountId : null
  const id = discountId ?? (await findMade(visit))
  if (wanted.isOn) return begin(visit, wanted, id)
  if (id !== null) await end(visit, id)
  await visit.record({ applied: wanted })
  return null
}

async function findMade({ connector, program, record }: Visit): Promise<string | null> {
  const found = take(await connector.discounts.findByCode(program.baseCode))
  if (found) await record({ discountId: found.id })
  return found?.id ?? null
}

async function begin(visit: Visit, wanted: On, id: string | null): Promise<string | null> {
  const { connector, program, currency, now: startsAt, record } = visit
  const { discounts } = connector
  const found = await valueFor(visit, wanted)
  if ('problem' in found) return refuse(visit, found.problem)
  const { value } = found
  const { title, minimumMinor } = wanted
  const productIds = wanted.freeProductId === null ? [] : [wanted.freeProductId]
  const goneProductIds = program.productIds.filter((one) => !productIds.includes(one))
  const terms = { title, value, productIds, minimumMinor, currency }
  // From here on nobody knows what the platform has, until it has answered.
  await record({ applied: null, productIds: [...goneProductIds, ...productIds] })
  let made = id
  if (id === null) {
    const created = valueOrRefusal(await discounts.createShared({ ...terms, code: program.baseCode, startsAt }))
    if ('refusal' in created) return refuse(visit, created.refusal.message)
    made = created.value.id
  } else {
    const updated = await change(visit, id, await discounts.updateShared(id, { ...terms, goneProductIds }))
    if (updated !== 'changed') return updated === 'gone' ? null : refuse(visit, updated.message)
    if ((await change(visit, id, await discounts.activate(id))) !== 'changed') return null
  }
  await record({ applied: wanted, discountId: made!, productIds })
  return made
}

/** From now on no order can use a code. */
async function end(visit: Visit, id: string): Promise<void> {
  await visit.record({ applied: null })
  const ended = await change(visit, id, await visit.connector.discounts.deactivate(id))
  if (ended !== 'changed' && ended !== 'gone') await refuse(visit, ended.message)
}

/** What a change came to. One that somebody has deleted is forgotten, and made again by the next visit where it is wanted. */
async function change(
  { db, storeId, connector }: Visit,
  id: string,
  result: PlatformResult<null>
): Promise<'changed' | 'gone' | PlatformFailure> {
  const changed = valueOrRefusal(result)
  if ('value' in changed) return 'changed'
  if (take(await connector.discounts.findById(id))) return changed.refusal
  await db.inStore(storeId, (ctx) => forgetDiscounts(ctx, [id]))
  return 'gone'
}

/** What the platform refuses is not asked again until a rule changes. */
async function refuse({ db, storeId, record }: Visit, problem: string): Promise<null> {
  await record({ problem })
  await db.inStore(storeId, (ctx) =>
    notify(ctx, {
      kind: 'loyalty_referrals_refused',
      subject: 'The discount of referral codes could not be changed',
      message: `The discount that friends get by referral codes could not be made or changed on the platform: ${problem}`,
      isOnce: true
    })
  )
  return null
}

async function valueFor(
  { connector, currency }: Visit,
  wanted: On
): Promise<{ value: CouponValue } | { problem: string }> {
  if (wanted.isShipping) return { value: { isShipping: true } }
  const { freeProductId, percentHundredths, amountMinor } = wanted
  if (freeProductId === null)
    return { value: percentHundredths === null ? { amountMinor: amountMinor! } : { percentHundredths } }
  const piece = take(await findFreePiece(connector, freeProductId, currency))
  return 'problem' in piece ? piece : { value: { amountMinor: piece.amountMinor } }
}
