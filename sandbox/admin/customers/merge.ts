import { mergeInto } from '../../customers/merge-customers.ts'
import type { Customer } from '../../state/customers.ts'
import { findJob, insertJob } from '../../state/jobs.ts'
import type { Api } from '../../wire/api.ts'
import { gid, numberIn, parseGid } from '../../wire/gid.ts'
import { normalTags, withTags } from '../tag-list.ts'
import { userError } from '../user-errors.ts'

type Override = {
  customerIdOfEmailToKeep?: string | null
  customerIdOfFirstNameToKeep?: string | null
  customerIdOfLastNameToKeep?: string | null
  customerIdOfPhoneNumberToKeep?: string | null
  note?: string | null
  tags?: string[] | null
}
type Args = { customerOneId: string; customerTwoId: string; overrideFields?: Override | null }

const INVALID = 'INVALID_CUSTOMER_ID'

/** Merges two customers. The one whose e-mail address is kept stays; without a choice, the second. */
export async function mergeCustomers(_root: unknown, args: Args, api: Api) {
  const refused = (field: string[] | null, message: string) => ({
    resultingCustomerId: null,
    job: null,
    userErrors: [userError(field, message, INVALID)]
  })
  if (args.customerOneId === args.customerTwoId) return refused(null, 'Customers IDs should not match')
  const people: Customer[] = []
  for (const name of ['customerOneId', 'customerTwoId'] as const) {
    const id = numberIn(api.shop, 'Customer', args[name])
    const found = await api.load.customer.get(id)
    if (!found) return refused([name], `Customer does not exist with ID ${id}`)
    people.push(found)
  }
  const choice = args.overrideFields ?? {}
  const chosen = (id: string | null | undefined, otherwise: Customer) =>
    people.find((one) => id && one.id === parseGid(api.shop, id)?.id) ?? otherwise
  const kept = chosen(choice.customerIdOfEmailToKeep, people[1]!)
  const other = people.find((one) => one !== kept)!
  const to = {
    ...kept,
    firstName: chosen(choice.customerIdOfFirstNameToKeep, kept).firstName,
    lastName: chosen(choice.customerIdOfLastNameToKeep, kept).lastName,
    phone: chosen(choice.customerIdOfPhoneNumberToKeep, kept).phone ?? other.phone,
    note: choice.note ?? ([kept.note, other.note].filter(Boolean).join('\n') || null),
    tags: choice.tags ? normalTags(choice.tags) : withTags(kept.tags, other.tags)
  }
  const resultingCustomerId = gid(api.shop, 'Customer', kept.id)
  const job = await api.write(async (q, now) => {
    await mergeInto(q, api.shop, { keptId: kept.id, deletedId: other.id }, to, now)
    return insertJob(q, api.shop.storeId, { resultingCustomerId }, now)
  })
  return { resultingCustomerId, job, userErrors: [] }
}

export async function mergeStatus(_root: unknown, { jobId }: { jobId: string }, api: Api) {
  const parsed = parseGid(api.shop, jobId)
  const job = parsed?.type === 'Job' ? await findJob(api.db.direct, api.shop.storeId, parsed.id) : null
  if (!job?.result.resultingCustomerId) return null
  return { jobId, resultingCustomerId: job.result.resultingCustomerId, status: 'COMPLETED', customerMergeErrors: [] }
}
