import { GraphQLError } from 'graphql'
import { type UserError, userError } from '../user-errors.ts'
import { lengthProblems } from './entry-rules.ts'
import { categoryOf, DEFINABLE_TYPES } from './types.ts'
import type { Validation } from './value-rules.ts'

export type DefinitionInput = {
  name?: string | null
  namespace?: string | null
  key: string
  ownerType: string
  type?: string | null
  description?: string | null
  access?: { admin?: string | null; storefront?: string | null; customerAccount?: string | null } | null
  validations?: Validation[] | null
  capabilities?: Record<string, { enabled: boolean } | null> | null
  useAsCollectionCondition?: boolean | null
  pin?: boolean | null
}

const MAX_LENGTH = 255

/** Everything that is wrong with a definition to create; for an update, with what it changes. */
export function definitionProblems(
  input: DefinitionInput,
  namespace: string,
  type: string,
  isNew: boolean
): UserError[] {
  const at = (field: string) => ['definition', field]
  const problems: UserError[] = isNew ? lengthProblems({ namespace, key: input.key }, at) : []
  for (const field of isNew ? (['namespace', 'key'] as const) : []) {
    if (problems.some((one) => one.field?.[1] === field)) continue
    if (!/^[\w-]+$/.test(field === 'key' ? input.key : namespace)) {
      const word = field === 'key' ? 'Key' : 'Namespace'
      problems.push(userError(at(field), `${word} contains one or more invalid characters.`, 'INVALID_CHARACTER'))
    }
  }
  for (const field of ['name', 'description'] as const) {
    if ((input[field]?.length ?? 0) <= MAX_LENGTH) continue
    const word = field === 'name' ? 'Name' : 'Description'
    problems.push(userError(at(field), `${word} is too long (maximum is ${MAX_LENGTH} characters)`, 'TOO_LONG'))
  }
  if (isNew && !DEFINABLE_TYPES.includes(type)) {
    const valid = `Type name ${type} is not a valid type. Valid types are: ${DEFINABLE_TYPES.join(', ')}.`
    return [...problems, userError(at('type'), valid, 'INCLUSION')]
  }
  for (const validation of input.validations ?? []) {
    const wrong = optionProblem(type, validation)
    if (wrong) problems.push(userError(at('validations'), wrong, 'INVALID_OPTION'))
  }
  return problems
}

const OPTIONS: Record<string, string[]> = {
  TEXT: ['min', 'max', 'regex', 'choices'],
  NUMBER: ['min', 'max', 'choices', 'max_precision'],
  DATE_TIME: ['min', 'max'],
  MEASUREMENT: ['min', 'max'],
  RATING: ['scale_min', 'scale_max'],
  JSON: ['schema'],
  URL: ['allowed_domains'],
  LINK: ['allowed_domains'],
  REFERENCE: [
    'metaobject_definition_id',
    'metaobject_definition_ids',
    'file_type_options',
    'product_taxonomy_attribute_handle'
  ]
}
const DECIMAL = /^-?\d+(\.\d+)?$/

function optionProblem(type: string, { name, value }: Validation): string | null {
  const options = [...(OPTIONS[categoryOf(type)] ?? []), ...(type.startsWith('list.') ? ['list.min', 'list.max'] : [])]
  if (!options.includes(name)) {
    return `Validations value for option ${name} contains an invalid value: '${name}' isn't supported for ${type}.`
  }
  if ((name !== 'min' && name !== 'max') || categoryOf(type) === 'DATE_TIME') return null
  if (type.endsWith('number_decimal'))
    return DECIMAL.test(value) ? null : `Validations value for option ${name} must be a decimal.`
  if (categoryOf(type) === 'MEASUREMENT') return null
  return /^-?\d+$/.test(value) ? null : `Validations value for option ${name} must be an integer.`
}

/** Only apps' own namespaces may be closed to the shop's people. */
export function accessProblem({ access }: DefinitionInput, namespace: string, code: string): UserError | null {
  if (!access?.admin || access.admin === 'PUBLIC_READ_WRITE' || namespace.startsWith('app--')) return null
  const fixed = 'Setting this access control is not permitted. It must be one of ["public_read_write"].'
  return userError(['definition'], fixed, code)
}

/** The platform keeps the namespace of its own name to itself. */
export function checkNamespace(namespace: string, field: string) {
  if (namespace !== 'shopify') return
  const needed =
    'API client to have access to the namespace and the resource type associated with the metafield definition.\n'
  throw new GraphQLError(`Access denied for ${field} field. Required access: ${needed}`, {
    extensions: {
      code: 'ACCESS_DENIED',
      documentation: 'https://shopify.dev/api/usage/access-scopes',
      requiredAccess: needed
    }
  })
}
