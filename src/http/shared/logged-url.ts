import { pathOf } from './errors.ts'

/** Parameters whose values are neither personal nor secret. Of all others only the name is logged. */
const PLAIN = new Set([
  'limit',
  'offset',
  'page',
  'status',
  'type',
  'period',
  'plan_id',
  'since_id',
  'since_date',
  'since_updated',
  'created_after',
  'created_before',
  'date_from',
  'date_to',
  'timestamp'
])
/** The form of such a value, which is not that of an e-mail address in the wrong place. */
const PLAIN_VALUE = /^[\w:.+-]{0,40}$/
const PLAIN_NAME = /^[\w[\]-]{1,40}$/
/** An e-mail address, a global id of a customer or a secret in a path, also an encoded one. */
const PERSONAL_PART = /@|%40|whsec_|customer(?:\/|%2f)\d/i
/** What comes before the number of a customer at the platform, by which others know them. */
const BEFORE_CUSTOMERS = /^(?:customers?|members|store-credits)$/i

const HIDDEN = '[hidden]'

/** A URL that may be logged: without `key`, `signature`, e-mail addresses and parameters that are not listed above. */
export function loggedUrl(url: string): string {
  const hash = url.indexOf('#')
  if (hash >= 0) return `${loggedUrl(url.slice(0, hash))}#${HIDDEN}`
  const path = pathOf(url)
  const shownPath = path
    .split('/')
    .map((part, i, parts) => (PERSONAL_PART.test(part) || isCustomer(part, parts[i - 1]) ? HIDDEN : part))
    .join('/')
  return path === url
    ? shownPath
    : `${shownPath}?${url
        .slice(path.length + 1)
        .split('&')
        .map(loggedPair)
        .join('&')}`
}

/** A number of the platform; our own, `cust_7`, say nothing when the person is erased. */
const isCustomer = (part: string, before = '') => /^\d+$/.test(part) && BEFORE_CUSTOMERS.test(before)

function loggedPair(pair: string): string {
  const [name = '', ...value] = pair.split('=')
  const shownName = PLAIN_NAME.test(name) || name === '' ? name : HIDDEN
  if (value.length === 0) return shownName
  return `${shownName}=${PLAIN.has(name) && PLAIN_VALUE.test(value.join('=')) ? value.join('=') : HIDDEN}`
}
