import { randomCode } from '#kit/random'
import { type AddedCode, MAX_CODES_PER_CALL } from '#platform'
import { CODE_LENGTH, type CodeToAdd, listCodesToAdd, markCodesAdded, replaceCodes } from './code-queries.ts'
import type { NextVisit } from './program-queries.ts'
import { take, type Visit, valueOrRefusal } from './visit.ts'

/** So often the platform is asked what became of codes before they are added again. */
const MAX_ASKED = 30

/** Adds the codes that the discount does not have yet, a batch at a time: the platform does it a moment after the call. */
export async function addWantedCodes(visit: Visit, discountId: string): Promise<NextVisit> {
  const { db, storeId, connector, program, record } = visit
  const toAdd = await db.inStore(storeId, (ctx) => listCodesToAdd(ctx, MAX_CODES_PER_CALL))
  if (program.additionId !== null) {
    const added = take(await connector.discounts.findAddedCodes(program.additionId))
    if (added === 'pending' && program.asked < MAX_ASKED) {
      await record({ asked: program.asked + 1 })
      return { restMs: restAfter(program.asked) }
    }
    const failed = Array.isArray(added) ? await settle(visit, discountId, added, toAdd) : 0
    await record({ additionId: null, asked: 0 })
    return failed > 0 ? { restMs: 60_000 } : 'now'
  }
  if (toAdd.length === 0) return 'asked'
  const codes = toAdd.map(({ code }) => code)
  const begun = valueOrRefusal(await connector.discounts.addCodes(discountId, codes))
  // The discount was deleted a moment ago: its deletion is reported, and all codes are added to the next one.
  if ('refusal' in begun) return { restMs: 60_000 }
  await record({ additionId: begun.value, asked: 0 })
  return 'now'
}

/** Twice at once, then after a second, two, four … up to a minute. */
const restAfter = (asked: number): number => (asked < 2 ? 0 : Math.min(2 ** (asked - 2), 60) * 1000)

/**
 * Records what became of codes. One that the shop had before was added by a call whose answer was lost, unless it is of another discount: then its
 * customer gets another code. Returns how many the platform could not add.
 */
async function settle(
  { db, storeId, connector }: Visit,
  discountId: string,
  results: AddedCode[],
  toAdd: CodeToAdd[]
): Promise<number> {
  const known = new Map(results.map((one) => [one.code.toUpperCase(), one]))
  const added: number[] = []
  const taken: CodeToAdd[] = []
  let failed = 0
  for (const { id, code } of toAdd) {
    const result = known.get(code.toUpperCase())
    if (!result) continue
    if (result.isAdded) {
      added.push(id)
      continue
    }
    const found = take(await connector.discounts.findByCode(code))
    if (found?.id === discountId) added.push(id)
    else if (found) taken.push({ id, code: randomCode(CODE_LENGTH) })
    else failed++
  }
  await db.inStore(storeId, async (ctx) => {
    await markCodesAdded(ctx, added)
    await replaceCodes(ctx, taken)
  })
  return failed
}
