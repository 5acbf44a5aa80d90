import type { Database, Queries } from '#kit/postgres'
import { searchDiscounts } from '../admin/discounts/list-discounts.ts'
import { listMembers } from '../segments/members.ts'
import { parseSegment } from '../segments/segment-query.ts'
import type { Shop } from '../shop.ts'
import {
  activateDiscounts,
  deactivateDiscounts,
  deleteDiscounts,
  findDiscounts,
  isCode
} from '../state/discounts/discounts.ts'
import { findByCodes, insertRedeemCode } from '../state/discounts/redeem-codes.ts'
import {
  argsOf,
  type CodeResult,
  claimDueJob,
  type DiscountSelection,
  type DueJob,
  finishDueJob,
  type JobResult
} from '../state/due-jobs.ts'
import { findSegments } from '../state/segments.ts'
import { apiFor } from '../wire/api.ts'

/** Does the job that has been due longest, in one transaction. Returns 1 if there was one, else 0. */
export async function runJob(db: Database, shop: Shop, now: Temporal.Instant): Promise<number> {
  return db.inInstallation(async (q) => {
    const job = await claimDueJob(q, shop.storeId, now)
    if (!job) return 0
    await finishDueJob(q, shop.storeId, job.id, await resultOf(db, q, shop, job, now))
    return 1
  })
}

async function resultOf(db: Database, q: Queries, shop: Shop, job: DueJob, now: Temporal.Instant): Promise<JobResult> {
  const { storeId } = shop
  switch (job.kind) {
    case 'activate-discounts':
      await activateDiscounts(q, storeId, await selected(db, q, shop, argsOf(job, job.kind), now), now)
      return {}
    case 'deactivate-discounts':
      await deactivateDiscounts(q, storeId, await selected(db, q, shop, argsOf(job, job.kind), now), now)
      return {}
    case 'delete-discounts':
      await deleteDiscounts(q, storeId, await selected(db, q, shop, argsOf(job, job.kind), now))
      return {}
    case 'add-codes':
      return { codes: await addCodes(q, storeId, argsOf(job, job.kind), now) }
    case 'count-members': {
      const { query, segmentId } = argsOf(job, job.kind)
      const [segment] = segmentId === null ? [] : await findSegments(q, storeId, [segmentId])
      const parsed = parseSegment(segmentId === null ? query : (segment?.query ?? ''))
      return { members: 'errors' in parsed ? 0 : (await listMembers(q, shop, parsed.condition, now)).length }
    }
    default:
      return {}
  }
}

/** The discounts of the method that are chosen and exist. */
async function selected(
  db: Database,
  q: Queries,
  shop: Shop,
  { method, ids, search }: DiscountSelection,
  now: Temporal.Instant
): Promise<string[]> {
  if (ids === undefined) {
    const api = apiFor(db, shop, `http://${shop.domain}`, async () => now)
    return searchDiscounts(api, method, search ?? null)
  }
  const found = await findDiscounts(q, shop.storeId, ids)
  return found.filter((discount) => isCode(discount) === (method === 'Code')).map(({ id }) => id)
}

const MAX_CODE = 255

async function addCodes(
  q: Queries,
  storeId: number,
  { discountId, codes }: { discountId: string; codes: string[] },
  now: Temporal.Instant
): Promise<CodeResult[]> {
  const taken = new Set((await findByCodes(q, storeId, codes)).map(({ code }) => code.toLowerCase()))
  const seen = new Set<string>()
  const results: CodeResult[] = []
  for (const code of codes) {
    const error = problemOf(code, taken, seen)
    seen.add(code.toLowerCase())
    const added = error === null ? await insertRedeemCode(q, storeId, { discountId, code }, now) : null
    results.push({ code, redeemCodeId: added?.id ?? null, error: added ? null : (error ?? TAKEN) })
  }
  return results
}

const TAKEN = 'must be unique. Please try a different code.'

function problemOf(code: string, taken: Set<string>, seen: Set<string>): string | null {
  if (code === '') return 'is too short (minimum is 1 character)'
  if (/[\r\n]/.test(code)) return 'cannot contain newline characters.'
  if (code.length > MAX_CODE) return `is too long (maximum is ${MAX_CODE} characters)`
  if (seen.has(code.toLowerCase())) return 'Codes must be unique within BulkDiscountCodeCreation'
  return taken.has(code.toLowerCase()) ? TAKEN : null
}
