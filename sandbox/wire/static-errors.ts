import {
  type ArgumentNode,
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isNonNullType,
  Kind,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo
} from 'graphql'

export type WireError = {
  message: string
  locations?: readonly { line: number; column: number }[]
  path?: readonly (string | number)[]
  extensions?: Record<string, unknown>
}

/** Where a node is: the names down to it, beginning with its operation; and what takes it as a value. */
type Place = {
  path: string[]
  operation: string
  /** For a value: the argument of a field or input object that it is given to, with the expected type. */
  given?: { name: string; of: 'Field' | 'InputObject'; owner: string; type: string; value: string }
}

/** The errors of a document as the platform writes them: with the path in the document, and one per field for what is missing. */
export function staticErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  errors: readonly GraphQLError[]
): WireError[] {
  const places = placesIn(schema, document)
  const told = new Map<string, WireError>()
  for (const err of errors) {
    const place = err.nodes?.map((node) => places.get(node)).find((found) => found !== undefined)
    const { path, ...rest } = errorOf(schema, err, place)
    // A literal with several faults is one invalid value.
    const error = {
      message: rest.message,
      locations: err.locations,
      ...(path && { path }),
      extensions: rest.extensions
    }
    const key = `${error.message} ${JSON.stringify(path ?? err.locations)}`
    if (!told.has(key)) told.set(key, error)
  }
  return [...told.values(), ...onlyRefused(document, errors, places)]
}

/** Variables that only arguments use which are not accepted: the platform counts them as not used. */
function onlyRefused(
  document: DocumentNode,
  errors: readonly GraphQLError[],
  places: ReadonlyMap<ASTNode, Place>
): WireError[] {
  const refused = new Set<ASTNode>(
    errors.flatMap(({ message, nodes }) =>
      /^(Unknown argument|Field "\w+" is not defined by type)/.test(message) ? (nodes ?? []) : []
    )
  )
  if (refused.size === 0) return []
  const [inside, outside] = [new Set<string>(), new Set<string>()]
  let depth = 0
  visit(document, {
    enter(node) {
      if (refused.has(node)) depth++
      if (node.kind === Kind.VARIABLE_DEFINITION) return false
      if (node.kind === Kind.VARIABLE) (depth > 0 ? inside : outside).add(node.name.value)
      return undefined
    },
    leave(node) {
      if (refused.has(node)) depth--
    }
  })
  return document.definitions.flatMap((one) =>
    one.kind !== Kind.OPERATION_DEFINITION
      ? []
      : (one.variableDefinitions ?? [])
          .map(({ variable, loc }) => ({ name: variable.name.value, loc }))
          .filter(({ name }) => inside.has(name) && !outside.has(name))
          .map(({ name, loc }) => ({
            message: `Variable $${name} is declared by ${places.get(one)?.operation} but not used`,
            ...(loc && { locations: [{ line: loc.startToken.line, column: loc.startToken.column }] }),
            path: places.get(one)?.path ?? [],
            extensions: { code: 'variableNotUsed', variableName: name }
          }))
  )
}

function placesIn(schema: GraphQLSchema, document: DocumentNode): Map<ASTNode, Place> {
  const places = new Map<ASTNode, Place>()
  const info = new TypeInfo(schema)
  const path: string[] = []
  let operation = ''
  const given: NonNullable<Place['given']>[] = []
  const enter = (node: ASTNode) => {
    if (node.kind === Kind.OPERATION_DEFINITION) {
      operation = node.name?.value ?? `anonymous ${node.operation}`
      path.push([node.operation, node.name?.value].filter(Boolean).join(' '))
    }
    if (node.kind === Kind.FRAGMENT_DEFINITION) path.push(`fragment ${node.name.value}`)
    if (node.kind === Kind.INLINE_FRAGMENT)
      path.push(node.typeCondition ? `... on ${node.typeCondition.name.value}` : '...')
    if (node.kind === Kind.FIELD) path.push(node.alias?.value ?? node.name.value)
    if (node.kind === Kind.ARGUMENT) {
      path.push(node.name.value)
      given.push(givenTo(node, 'Field', info.getFieldDef()?.name ?? '', info))
    }
    if (node.kind === Kind.OBJECT_FIELD) {
      path.push(node.name.value)
      given.push(givenTo(node, 'InputObject', getNamedType(info.getParentInputType() ?? null)?.name ?? '', info))
    }
    places.set(node, { path: [...path], operation, given: given.at(-1) })
  }
  const NAMED: ReadonlySet<string> = new Set([
    Kind.OPERATION_DEFINITION,
    Kind.FRAGMENT_DEFINITION,
    Kind.INLINE_FRAGMENT,
    Kind.FIELD,
    Kind.ARGUMENT,
    Kind.OBJECT_FIELD
  ])
  const leave = (node: ASTNode) => {
    if (NAMED.has(node.kind)) path.pop()
    if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) given.pop()
  }
  visit(document, visitWithTypeInfo(info, { enter, leave }))
  return places
}

function givenTo(node: ArgumentNode | ObjectFieldNode, of: 'Field' | 'InputObject', owner: string, info: TypeInfo) {
  return { name: node.name.value, of, owner, type: String(info.getInputType() ?? ''), value: print(node.value) }
}

function errorOf(schema: GraphQLSchema, err: GraphQLError, place: Place | undefined): WireError {
  const { path, operation = '', given } = place ?? {}
  const [node] = err.nodes ?? []
  const matched = (pattern: RegExp) => pattern.exec(err.message)

  let match = matched(/^Cannot query field "(\w+)" on type "(\w+)"/)
  if (match) {
    const [, field, type] = match
    const extensions = { code: 'undefinedField', typeName: type, fieldName: field }
    return { message: `Field '${field}' doesn't exist on type '${type}'`, path, extensions }
  }
  if (matched(/^Field "\w+" argument "\w+" of type .+ is required/) && node?.kind === Kind.FIELD) {
    const missing = missingArguments(schema, err, node)
    const extensions = {
      code: 'missingRequiredArguments',
      className: 'Field',
      name: node.name.value,
      arguments: missing
    }
    return { message: `Field '${node.name.value}' is missing required arguments: ${missing}`, path, extensions }
  }
  match = matched(/^Directive "@(\w+)" argument "(\w+)" of type "(.+)" is required/)
  if (match) {
    const [, directive, argument] = match
    const extensions = {
      code: 'missingRequiredArguments',
      className: 'Directive',
      name: directive,
      arguments: argument
    }
    return { message: `Directive '${directive}' is missing required arguments: ${argument}`, path, extensions }
  }
  match = matched(/^Unknown argument "(\w+)" on field "(\w+)\.(\w+)"/)
  if (match) {
    const [, argument, , field] = match
    const extensions = { code: 'argumentNotAccepted', name: field, typeName: 'Field', argumentName: argument }
    return { message: `Field '${field}' doesn't accept argument '${argument}'`, path, extensions }
  }
  match = matched(/^Field "(\w+)" is not defined by type "(\w+)"/)
  if (match) {
    const [, field, type] = match
    const extensions = { code: 'argumentNotAccepted', name: type, typeName: 'InputObject', argumentName: field }
    return { message: `InputObject '${type}' doesn't accept argument '${field}'`, path, extensions }
  }
  match = matched(/^Field "(\w+)\.(\w+)" of required type "(.+)" was not provided/)
  if (match) {
    const [, type, field, expected] = match
    return {
      message: `Argument '${field}' on InputObject '${type}' is required. Expected type ${expected}`,
      path: path && [...path, field!],
      extensions: {
        code: 'missingRequiredInputObjectAttribute',
        argumentName: field,
        argumentType: expected,
        inputObjectType: type
      }
    }
  }
  match = matched(/^Variable "\$(\w+)" of type "(.+)" used in position expecting type "(.+)"/)
  if (match) {
    const [, variable, type, expected] = match
    const extensions = { code: 'variableMismatch', variableName: variable, typeName: type, argumentName: variable }
    return { message: `Type mismatch on variable $${variable} and argument (${type} / ${expected})`, path, extensions }
  }
  match = matched(/^Field "(\w+)" of type "(.+)" must have a selection of subfields/)
  if (match) {
    const [, field, type] = match
    return {
      message: `Field must have selections (field '${field}' returns ${type} but has no selections. Did you mean '${field} { ... }'?)`,
      path,
      extensions: { code: 'selectionMismatch', nodeName: `field '${field}'`, typeName: type }
    }
  }
  match = matched(/^Variable "\$(\w+)" is not defined/)
  if (match) {
    const extensions = { code: 'variableNotDefined', variableName: match[1] }
    return { message: `Variable $${match[1]} is used by ${operation} but not declared`, path, extensions }
  }
  match = matched(/^Variable "\$(\w+)" is never used/)
  if (match) {
    const extensions = { code: 'variableNotUsed', variableName: match[1] }
    return {
      message: `Variable $${match[1]} is declared by ${operation} but not used`,
      path: path?.slice(0, 1),
      extensions
    }
  }
  if (given && matched(/^(?:Int|Float|String|Boolean|ID|Enum|Value|Expected|Invalid)/)) {
    return {
      message: `Argument '${given.name}' on ${given.of} '${given.owner}' has an invalid value (${given.value}). Expected type '${given.type}'.`,
      path,
      extensions: { code: 'argumentLiteralsIncompatible', typeName: given.of, argumentName: given.name }
    }
  }
  return { message: err.message, path, extensions: { code: 'invalidDocument' } }
}

/** All that a field lacks, by name. */
function missingArguments(schema: GraphQLSchema, err: GraphQLError, node: FieldNode): string {
  const [, first = ''] = /argument "(\w+)"/.exec(err.message) ?? []
  const given = new Set(node.arguments?.map(({ name }) => name.value))
  const definitions = Object.values(schema.getTypeMap()).flatMap((type) => {
    const field = 'getFields' in type ? type.getFields()[node.name.value] : undefined
    return field && 'args' in field && field.args.some(({ name }) => name === first) ? [field] : []
  })
  const [definition] = definitions
  const missing = (definition?.args ?? []).filter(
    ({ name, type, defaultValue }) => isNonNullType(type) && defaultValue === undefined && !given.has(name)
  )
  return missing.length > 0 ? missing.map(({ name }) => name).join(', ') : first
}

/** The path in the answer of where an operation uses a variable: its field at the top, and the argument. */
export function useOf(operation: OperationDefinitionNode, variable: string): string[] | null {
  for (const field of operation.selectionSet.selections) {
    if (field.kind !== Kind.FIELD) continue
    for (const argument of field.arguments ?? []) {
      if (print(argument.value) === `$${variable}`) return [field.alias?.value ?? field.name.value, argument.name.value]
    }
  }
  return null
}
