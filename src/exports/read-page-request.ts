import { type FieldProblem, Refusal } from '#kit/refusal'
import type { ExportEndpoint, FilterName, PageRequest } from './endpoint.ts'

/** What each parameter accepts, as errors and documents say it. */
export const PARAMETERS: Record<FilterName, { accepts: string; meaning: string }> = {
  page: {
    accepts: `a positive integer up to ${Number.MAX_SAFE_INTEGER}, digits only`,
    meaning: 'The number of the page; the first is 1'
  },
  since_id: {
    accepts: `an integer from 0 to ${Number.MAX_SAFE_INTEGER}, digits only`,
    meaning: 'Rows after this internal id: the `last_id` of the page before; 0 starts from the beginning'
  },
  since_date: { accepts: 'a day such as 2026-01-31', meaning: 'Rows from the beginning of that day of the shop on' },
  since_updated: {
    accepts: 'a day such as 2026-01-31',
    meaning: 'Rows that were created or changed since the beginning of that day of the shop'
  },
  shopify_customer_gid: {
    accepts: 'the number of a customer on the platform, or the global id',
    meaning: 'Only rows of this customer'
  }
}

type Query = Record<string, string | string[] | undefined>

/**
 * Reads the parameters of an endpoint from a query; others are ignored. Throws a refusal that names each one at fault. A customer that
 * nobody can be called is no fault: nothing is found.
 */
export function readPageRequest({ filters }: Pick<ExportEndpoint, 'filters'>, query: Query): PageRequest {
  const problems: FieldProblem[] = []
  const given = <T>(name: FilterName, otherwise: T, read: (text: string) => T | null): T => {
    const text = query[name]
    if (text === undefined || !filters.includes(name)) return otherwise
    const value = typeof text === 'string' ? read(text) : null
    if (value !== null) return value
    const problem = typeof text === 'string' ? `must be ${PARAMETERS[name].accepts}` : 'must be given once'
    problems.push({ field: name, code: 'invalid', message: problem })
    return otherwise
  }
  const request: PageRequest = {
    page: given('page', 1, (text) => integerFrom(text, 1)),
    sinceId: given('since_id', 0, (text) => integerFrom(text, 0)),
    sinceDate: given<Temporal.PlainDate | null>('since_date', null, dayFrom),
    sinceUpdated: given<Temporal.PlainDate | null>('since_updated', null, dayFrom),
    customer: given<string | null>('shopify_customer_gid', null, customerFrom)
  }
  if (problems.length === 0) return request
  const message = problems.map(({ field, message }) => `${field} ${message}`).join('; ')
  throw new Refusal('invalid_request', message, problems)
}

function integerFrom(text: string, least: number): number | null {
  if (!/^[0-9]{1,16}$/.test(text)) return null
  const number = Number(text)
  return Number.isSafeInteger(number) && number >= least ? number : null
}

function dayFrom(text: string): Temporal.PlainDate | null {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return null
  try {
    return Temporal.PlainDate.from(text, { overflow: 'reject' })
  } catch {
    return null
  }
}

const GLOBAL_ID = /^gid:\/\/[a-z]+\/Customer\/([0-9]{1,20})$/

/** The digits of a customer's id; nothing for what is none. */
function customerFrom(text: string): string {
  if (/^[0-9]{1,20}$/.test(text)) return text
  return GLOBAL_ID.exec(text)?.[1] ?? ''
}
