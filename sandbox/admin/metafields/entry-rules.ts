import { ownNamespace } from '../shop.ts'
import { type UserError, userError } from '../user-errors.ts'
import { METAFIELD_TYPES } from './types.ts'

const LENGTHS = { namespace: [3, 255], key: [2, 64] } as const
/** Namespaces in which nobody may write values. */
const RESERVED = ['shopify_standard', 'protected', 'shopify-l10n-fields']

/** What is wrong with the name of a metafield, all of it. `at` builds the path of a field. */
export function lengthProblems(name: { namespace: string; key: string }, at: (field: string) => string[]): UserError[] {
  return (['namespace', 'key'] as const).flatMap((field) => {
    const [least, most] = LENGTHS[field]
    const word = field === 'key' ? 'Key' : 'Namespace'
    if (name[field].length < least) {
      return [userError(at(field), `${word} is too short (minimum is ${least} characters)`, 'TOO_SHORT')]
    }
    if (name[field].length > most) {
      return [userError(at(field), `${word} is too long (maximum is ${most} characters)`, 'TOO_LONG')]
    }
    return []
  })
}

/** What is wrong with the name and type of a value to write. */
export function entryProblems(
  entry: { namespace: string; key: string; type: string },
  at: (field: string) => string[]
): UserError[] {
  const problems = lengthProblems(entry, at)
  if (problems.length > 0) return problems
  if (RESERVED.includes(entry.namespace)) {
    return [{ ...userError(at('namespace'), `Namespace ${entry.namespace} is a reserved namespace`), code: null }]
  }
  if (/^app--\d+/.test(entry.namespace) && !entry.namespace.startsWith(ownNamespace('$app'))) {
    const denied = 'Access to this namespace and key on Metafields for this resource type is not allowed.'
    return [userError(at('namespace'), denied, 'APP_NOT_AUTHORIZED')]
  }
  if (!entry.type) return [userError(at('type'), "Type can't be blank", 'BLANK')]
  if (!METAFIELD_TYPES.includes(entry.type)) {
    return [userError(at('type'), `Type must be one of the following: ${METAFIELD_TYPES.join(', ')}.`, 'INCLUSION')]
  }
  return []
}
