import type { Discount } from '../../state/discounts/discounts.ts'
import { isCode } from '../../state/discounts/discounts.ts'
import { deleteRedeemCodes, listCodesOf } from '../../state/discounts/redeem-codes.ts'
import { argsOf, type CodeResult, type DueJob, findDueJob, insertDueJob, type JobKind } from '../../state/due-jobs.ts'
import type { Api, Resolver, Resolvers } from '../../wire/api.ts'
import { type PageArgs, pageOf } from '../../wire/connections.ts'
import { isNumericId, numberIn, parseGid } from '../../wire/gid.ts'
import { jobShown } from '../due-jobs.ts'
import { type UserError, userError } from '../user-errors.ts'
import { searchDiscounts } from './list-discounts.ts'
import { discountIn, nodeOf } from './write-discounts.ts'

type Selector = { ids?: string[] | null; search?: string | null; savedSearchId?: string | null }
type Method = 'Code' | 'Automatic'

const WORDS = {
  Code: {
    none: "Missing expected argument key: 'ids', 'search' or 'saved_search_id'.",
    many: "Only one of 'ids', 'search' or 'saved_search_id' is allowed.",
    saved: "Invalid 'saved_search_id'."
  },
  Automatic: {
    none: 'One of IDs, search argument or saved search ID is required.',
    many: 'Only one of IDs, search argument or saved search ID is allowed.',
    saved: 'Invalid savedSearchId.'
  }
} as const

/** Exactly one of ids, a search and a saved search, of which these shops have none. */
function selectorProblem({ ids, search, savedSearchId }: Selector, method: Method): UserError | null {
  const words = WORDS[method]
  const given = [ids, search, savedSearchId].filter((one) => one != null).length
  if (given === 0) return userError(null, words.none, 'MISSING_ARGUMENT')
  if (given > 1) return userError(null, words.many, 'TOO_MANY_ARGUMENTS')
  if (savedSearchId != null) return userError(['savedSearchId'], words.saved, 'INVALID')
  if (method === 'Code' && search != null && search.trim() === '') {
    return userError(['search'], "'Search' can't be blank.", 'BLANK')
  }
  return null
}

/** By which fields codes can be deleted; the platform looks at them only then. */
const DELETABLE_BY = ['status', 'times_used', 'discount_type']

function searchProblem(search: string): UserError | null {
  const fields = [...search.matchAll(/(?:^|[\s(])-?([a-z_]+):/gi)].map(([, field]) => field!.toLowerCase())
  const unknown = [...new Set(fields)].filter((field) => !DELETABLE_BY.includes(field))
  if (unknown.length === 0) return null
  const message = `Invalid search field(s): ${unknown.join(', ')}. Check the query syntax.`
  return userError(['search'], message, 'INVALID')
}

type BulkKind = Extract<JobKind, `${string}-discounts`>

function changeMany(method: Method, kind: BulkKind): Resolver {
  return async (_root: unknown, args: Selector, api: Api) => {
    const problem =
      selectorProblem(args, method) ??
      (method === 'Code' && kind === 'delete-discounts' && args.search ? searchProblem(args.search) : null)
    if (problem) return { job: null, userErrors: [problem] }
    const ids = args.ids?.map((id) => parseGid(api.shop, id)?.id ?? '').filter(isNumericId)
    // A blank search finds nothing. One that cannot be read is an error now, not of the job.
    const search = args.search?.trim() || 'id:0'
    if (!ids) await searchDiscounts(api, method, search, 0)
    const selection = ids ? { method, ids } : { method, search }
    const job = await api.write((q, now) => insertDueJob(q, api.shop.storeId, { kind, args: selection }, now))
    // The platform names no job that deletes automatic discounts by their ids.
    return { job: method === 'Automatic' && ids ? null : jobShown(job), userErrors: [] }
  }
}

const noDiscount = () => userError(['discountId'], 'Code discount does not exist.', 'INVALID')

async function codeDiscountIn(api: Api, id: string): Promise<Discount | null> {
  const found = await discountIn(api, id)
  return found && isCode(found) ? found : null
}

/** Adds codes to a discount; which of them are good is known when it is done. */
async function addCodes(_root: unknown, args: { discountId: string; codes: { code: string }[] }, api: Api) {
  const refused = (problem: UserError) => ({ bulkCreation: null, userErrors: [problem] })
  const discount = await codeDiscountIn(api, args.discountId)
  if (!discount) return refused(noDiscount())
  if (args.codes.length === 0) return refused(userError(['codes'], "Codes can't be blank", 'BLANK'))
  const codes = args.codes.map(({ code }) => code)
  const bulkCreation = await api.write((q, now) =>
    insertDueJob(q, api.shop.storeId, { kind: 'add-codes', args: { discountId: discount.id, codes } }, now)
  )
  return { bulkCreation, userErrors: [] }
}

async function deleteCodes(_root: unknown, args: Selector & { discountId: string }, api: Api) {
  const refused = (problem: UserError) => ({ job: null, userErrors: [problem] })
  const problem = selectorProblem(args, 'Code')
  if (problem) return refused(problem)
  const discount = await codeDiscountIn(api, args.discountId)
  if (!discount) return refused(noDiscount())
  if (args.ids?.length === 0) return refused(userError(null, 'Something went wrong, please try again.'))
  const { storeId } = api.shop
  const ids =
    args.ids?.map((id) => parseGid(api.shop, id)?.id ?? '').filter(isNumericId) ??
    (await listCodesOf(api.db.direct, storeId, discount.id, args.search!.trim().replace(/^code:/i, '')))
  const job = await api.write(async (q, now) => {
    await deleteRedeemCodes(q, storeId, discount.id, ids)
    return insertDueJob(q, storeId, { kind: 'delete-codes', args: { discountId: discount.id }, isDone: true }, now)
  })
  return { job: jobShown(job), userErrors: [] }
}

export const bulkMutations: Resolvers[string] = {
  discountCodeBulkActivate: changeMany('Code', 'activate-discounts'),
  discountCodeBulkDeactivate: changeMany('Code', 'deactivate-discounts'),
  discountCodeBulkDelete: changeMany('Code', 'delete-discounts'),
  discountAutomaticBulkDelete: changeMany('Automatic', 'delete-discounts'),
  discountRedeemCodeBulkAdd: addCodes,
  discountCodeRedeemCodeBulkDelete: deleteCodes
}

const results = (job: DueJob): CodeResult[] =>
  job.result?.codes ?? argsOf(job, 'add-codes').codes.map((code) => ({ code, redeemCodeId: null, error: null }))

export const bulkCreationResolvers: Resolvers = {
  QueryRoot: {
    discountRedeemCodeBulkCreation: async (_root: unknown, { id }: { id: string }, api: Api) => {
      const number = numberIn(api.shop, 'DiscountRedeemCodeBulkCreation', id)
      const job = await findDueJob(api.db.direct, api.shop.storeId, number)
      return job?.kind === 'add-codes' ? job : null
    }
  },
  DiscountRedeemCodeBulkCreation: {
    codes: (job: DueJob, args: PageArgs) =>
      pageOf(
        results(job).map((one, i) => ({ ...one, id: String(i + 1) })),
        args
      ),
    codesCount: (job: DueJob) => argsOf(job, 'add-codes').codes.length,
    discountCode: async (job: DueJob, _args: unknown, api: Api) => {
      const found = await api.load.discount.get(argsOf(job, 'add-codes').discountId)
      return found && nodeOf(found)
    },
    done: ({ dueAt }: DueJob) => dueAt === null,
    importedCount: (job: DueJob) => results(job).filter(({ redeemCodeId }) => redeemCodeId !== null).length,
    failedCount: (job: DueJob) => results(job).filter(({ error }) => error !== null).length
  },
  DiscountRedeemCodeBulkCreationCode: {
    discountRedeemCode: ({ redeemCodeId }: CodeResult, _args: unknown, api: Api) =>
      redeemCodeId && api.load.redeemCode.get(redeemCodeId),
    errors: ({ error }: CodeResult) => (error === null ? [] : [userError(['code'], error)])
  }
}
