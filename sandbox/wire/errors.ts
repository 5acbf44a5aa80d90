import {
  coerceInputValue,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST
} from 'graphql'

export type WireError = {
  message: string
  locations?: readonly { line: number; column: number }[]
  path?: readonly (string | number)[]
  extensions?: Record<string, unknown>
}

const VALIDATION: [RegExp, (match: RegExpExecArray) => WireError][] = [
  [
    /^Cannot query field "(\w+)" on type "(\w+)"/,
    ([, field, type]) => ({
      message: `Field '${field}' doesn't exist on type '${type}'`,
      extensions: { code: 'undefinedField', typeName: type, fieldName: field }
    })
  ],
  [
    /^Field "(\w+)" argument "(\w+)" of type "(.+)" is required/,
    ([, field, argument]) => ({
      message: `Field '${field}' is missing required arguments: ${argument}`,
      extensions: { code: 'missingRequiredArguments', className: 'Field', name: field, arguments: argument }
    })
  ],
  [
    /^Directive "@(\w+)" argument "(\w+)" of type "(.+)" is required/,
    ([, directive, argument]) => ({
      message: `Directive '${directive}' is missing required arguments: ${argument}`,
      extensions: { code: 'missingRequiredArguments', className: 'Directive', name: directive, arguments: argument }
    })
  ],
  [
    /^Unknown argument "(\w+)" on field "(\w+)\.(\w+)"/,
    ([, argument, , field]) => ({
      message: `Field '${field}' doesn't accept argument '${argument}'`,
      extensions: { code: 'argumentNotAccepted', name: field, typeName: 'Field', argumentName: argument }
    })
  ],
  [
    /^(?:Int|Float|String|Boolean|ID|Enum|Value|Expected|Field "\w+" of required|Field "\w+" is not defined)/,
    ({ input }) => ({ message: input, extensions: { code: 'argumentLiteralsIncompatible' } })
  ],
  [
    /^Variable "\$(\w+)" of type "(.+)" used in position expecting type "(.+)"/,
    ([, variable, type, expected]) => ({
      message: `Type mismatch on variable $${variable} and argument (${type} / ${expected})`,
      extensions: { code: 'variableMismatch', variableName: variable, typeName: type, argumentName: variable }
    })
  ],
  [
    /^Field "(\w+)" of type "(.+)" must have a selection of subfields/,
    ([, field, type]) => ({
      message: `Field must have selections (field '${field}' returns ${type} but has no selections. Did you mean '${field} { ... }'?)`,
      extensions: { code: 'selectionMismatch', nodeName: `field '${field}'`, typeName: type }
    })
  ],
  [
    /^Variable "\$(\w+)" is not defined/,
    ([, variable]) => ({
      message: `Variable $${variable} is used but not declared`,
      extensions: { code: 'variableNotDefined', variableName: variable }
    })
  ],
  [
    /^Variable "\$(\w+)" is never used/,
    ([, variable]) => ({
      message: `Variable $${variable} is declared but not used`,
      extensions: { code: 'variableNotUsed', variableName: variable }
    })
  ]
]

/** A validation error with the platform's message and code. */
export function validationError(err: GraphQLError): WireError {
  for (const [pattern, errorOf] of VALIDATION) {
    const match = pattern.exec(err.message)
    if (match) return { ...errorOf(match), locations: err.locations }
  }
  return { message: err.message, locations: err.locations, extensions: { code: 'invalidDocument' } }
}

type Problem = { path: (string | number)[]; explanation: string }

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
    if (large) return [{ ...large, ...at(definition) }]
    const problems: Problem[] = []
    if (value === undefined || value === null) {
      if (String(type).endsWith('!')) problems.push({ path: [], explanation: 'Expected value to not be null' })
    } else {
      coerceInputValue(value, type, (path, invalid, err) => problems.push(problemOf(schema, [...path], invalid, err)))
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

function largeList(value: unknown): WireError | null {
  if (Array.isArray(value) && value.length > MAX_LIST) {
    return {
      message: `The input array size of ${value.length} is greater than the maximum allowed of ${MAX_LIST}.`,
      extensions: { code: 'MAX_INPUT_SIZE_EXCEEDED' }
    }
  }
  if (value !== null && typeof value === 'object') {
    for (const part of Object.values(value)) {
      const found = largeList(part)
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
