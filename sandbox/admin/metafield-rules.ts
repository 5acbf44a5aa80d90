import type { MetafieldEntry } from '../state/metafields.ts'
import { type UserError, userError } from './user-errors.ts'

/** The longest JSON value that apps may write since API version 2026-04. */
const MAX_JSON_BYTES = 128 * 1024

const LENGTHS = { namespace: [3, 255], key: [2, 64] } as const

/** The platform's error for an entry that it does not accept; null if valid. `at` builds the path of a field. */
export function entryProblem(entry: MetafieldEntry, at: (field: string) => string[]): UserError | null {
  for (const field of ['namespace', 'key'] as const) {
    const [least, most] = LENGTHS[field]
    const word = field === 'key' ? 'Key' : 'Namespace'
    if (entry[field].length < least) {
      return userError(at(field), `${word} is too short (minimum is ${least} characters)`, 'TOO_SHORT')
    }
    if (entry[field].length > most) {
      return userError(at(field), `${word} is too long (maximum is ${most} characters)`, 'TOO_LONG')
    }
    if (!/^[\w-]+$/.test(entry[field].replace(/^\$app:?/, ''))) {
      return userError(at(field), `${word} contains one or more invalid characters.`, 'INVALID')
    }
  }
  if (entry.namespace.startsWith('app--') && !entry.namespace.startsWith('app--2525000003')) {
    return userError(
      at('namespace'),
      'Access to this namespace and key on Metafields for this resource type is not allowed.',
      'APP_NOT_AUTHORIZED'
    )
  }
  if (!entry.type) return userError(at('type'), "Type can't be blank", 'BLANK')
  if (entry.value === '') return userError(at('value'), "Value can't be blank", 'BLANK')
  const wrong = valueProblem(entry.type, entry.value)
  return wrong ? userError(at('value'), wrong, 'INVALID_VALUE') : null
}

function valueProblem(type: string, value: string): string | null {
  switch (type) {
    case 'boolean':
      return value === 'true' || value === 'false' ? null : 'Value must be true or false.'
    case 'number_integer':
      return /^-?\d{1,16}$/.test(value) ? null : 'Value must be an integer.'
    case 'number_decimal':
      return /^-?\d{1,13}(\.\d{1,9})?$/.test(value) ? null : 'Value must be a decimal.'
    case 'date':
      return /^\d{4}-\d{2}-\d{2}$/.test(value) ? null : 'Value must be in YYYY-MM-DD format.'
    case 'single_line_text_field':
      return /[\r\n]/.test(value) ? 'Value must be a single line text string.' : null
    default:
      if (type !== 'json' && !type.startsWith('list.')) return null
      if (Buffer.byteLength(value) > MAX_JSON_BYTES) return 'Value is too long.'
      return isJson(value) ? null : 'Value is invalid JSON.'
  }
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}
