import {
  coerceInputValue,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST
} from 'graphql'
import { useOf, type WireError } from './static-errors.ts'

type Problem = { path: (string | number)[]; explanation: string; message?: string }

/** The errors of the variables: one per invalid variable, with all of its problems. */
export function variableErrors(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  given: Record<string, unknown>
): WireError[] {
  return (operation.variableDefinitions ?? []).flatMap((definition) => {
    const name = definition.variable.name.value
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType
    const value = given[name]
    if (value === undefined && (definition.defaultValue || !String(type).endsWith('!'))) return []
    const large = largeList(value)
    if (large) {
      const path = useOf(operation, name)
      return [
        {
          message: large.message,
          ...at(definition),
          ...(path && { path: [...path, ...large.at] }),
          extensions: large.extensions
        }
      ]
    }
    const problems: Problem[] = []
    if (value === undefined || value === null) {
      if (String(type).endsWith('!')) problems.push({ path: [], explanation: 'Expected value to not be null' })
    } else {
      coerceInputValue(value, type, (path, invalid, err) => problems.push(problemOf(schema, [...path], invalid, err)))
      if (problems.length === 0) problems.push(...idProblems(type, value, []))
    }
    if (problems.length === 0) return []
    const list = problems.map(({ path, explanation }) => `${path.join('.')} (${explanation})`)
    const where = problems.every(({ path }) => path.length === 0) ? '' : ` for ${list.join(', ')}`
    return [
      {
        message: `Variable $${name} of type ${type} was provided invalid value${where}`,
        ...at(definition),
        extensions: { code: 'INVALID_VARIABLE', value: value ?? null, problems }
      }
    ]
  })
}

function at(definition: VariableDefinitionNode) {
  const start = definition.loc?.startToken
  return start ? { locations: [{ line: start.line, column: start.column }] } : {}
}

function problemOf(schema: GraphQLSchema, path: (string | number)[], invalid: unknown, err: GraphQLError): Problem {
  const unknown = /^Field "(\w+)" is not defined by type "(\w+)"/.exec(err.message)
  if (unknown) return { path: [...path, unknown[1]!], explanation: `Field is not defined on ${unknown[2]}` }
  const missing = /^Field "(\w+)" of required type/.exec(err.message)
  if (missing) return { path: [...path, missing[1]!], explanation: 'Expected value to not be null' }
  if (/^Expected non-nullable type/.test(err.message)) return { path, explanation: 'Expected value to not be null' }
  const word = /"(\w+)" enum/.exec(err.message)
  const type = word && schema.getType(word[1]!)
  if (type && isEnumType(type)) {
    const names = type.getValues().map((value) => value.name)
    return { path, explanation: `Expected ${JSON.stringify(invalid)} to be one of: ${names.join(', ')}` }
  }
  return { path, explanation: err.message }
}

const MAX_LIST = 250

/** Ids are global: of the form gid://name/Type/id. */
function idProblems(type: GraphQLInputType, value: unknown, path: (string | number)[]): Problem[] {
  if (value === null || value === undefined) return []
  if (isNonNullType(type)) return idProblems(type.ofType, value, path)
  if (isListType(type)) {
    return (Array.isArray(value) ? value : [value]).flatMap((one, i) => idProblems(type.ofType, one, [...path, i]))
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    return fields.flatMap((field) =>
      idProblems(field.type, (value as Record<string, unknown>)[field.name], [...path, field.name])
    )
  }
  if (type.name !== 'ID' || /^gid:\/\/[a-z-]+\/\w+\/./.test(String(value))) return []
  const explanation = `Invalid global id '${value}'`
  return [{ path, explanation, message: explanation }]
}

function largeList(value: unknown, at: (string | number)[] = []): (WireError & { at: (string | number)[] }) | null {
  if (Array.isArray(value) && value.length > MAX_LIST) {
    return {
      at,
      message: `The input array size of ${value.length} is greater than the maximum allowed of ${MAX_LIST}.`,
      extensions: { code: 'MAX_INPUT_SIZE_EXCEEDED' }
    }
  }
  if (value !== null && typeof value === 'object') {
    for (const [key, part] of Object.entries(value)) {
      const found = largeList(part, [...at, key])
      if (found) return found
    }
  }
  return null
}

/** The variables with their defaults, for the calculations before the operation runs. */
export function withDefaults(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  given: Record<string, unknown>
): Record<string, unknown> {
  const all = { ...given }
  for (const definition of operation.variableDefinitions ?? []) {
    const name = definition.variable.name.value
    if (all[name] !== undefined || !definition.defaultValue) continue
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType
    all[name] = valueFromAST(definition.defaultValue, type)
  }
  return all
}
