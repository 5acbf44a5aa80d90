import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  Lexer,
  parse,
  type SelectionSetNode,
  Source,
  type Token,
  TokenKind,
  validate
} from 'graphql'

const MAX_CONNECTIONS = 1
/** Operations that begin others are not run in bulk. */
const NOT_ALLOWED = /^(bulkOperation|stagedUpload)/

export type BulkMutationProblem = { field: string[] | null; message: string; code?: string }

/** Parses the mutation of a bulk operation, which is run once for each line of variables; or says what is wrong with it. */
export function readBulkMutation(
  schema: GraphQLSchema,
  text: string
): { document: DocumentNode } | { problem: BulkMutationProblem } {
  const refused = (message: string, field: string[] | null, code?: string) => ({
    problem: { field, message, ...(code && { code }) }
  })
  let document: DocumentNode
  try {
    document = parse(text, { maxTokens: 5_000 })
  } catch (err) {
    if (!(err instanceof GraphQLError)) throw err
    return refused(`Failed to parse the mutation - ${syntaxError(err, text)}`, null, 'INVALID_MUTATION')
  }
  const [operation, ...more] = document.definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION || operation.operation !== 'mutation') {
    const only = 'Invalid operation type. Only `mutation` operations are supported.'
    return refused(only, null, 'INVALID_MUTATION')
  }
  const [field, ...others] = operation.selectionSet.selections
  if (field?.kind !== Kind.FIELD || others.length > 0 || more.length > 0) {
    return refused('You must specify a single top level mutation.', ['mutation'])
  }
  if (NOT_ALLOWED.test(field.name.value)) return refused('You must use an allowed mutation name.', ['mutation'])
  const mutations = schema.getMutationType()!
  if (connectionsIn(schema, mutations.name, operation.selectionSet) > MAX_CONNECTIONS) {
    return refused(`Bulk mutations cannot contain more than ${MAX_CONNECTIONS} connection.`, ['mutation'])
  }
  const [wrong] = validate(schema, document)
  return wrong ? refused(wrong.message, null, 'INVALID_MUTATION') : { document }
}

/** The platform names the last word of a text that ends too early. */
function syntaxError({ message, locations }: GraphQLError, text: string): string {
  if (!message.includes('<EOF>')) {
    const [at] = locations ?? []
    return `${message.replace(/^Syntax Error: /, 'syntax error, ')}${at ? ` at [${at.line}, ${at.column}]` : ''}`
  }
  let last: Token | null = null
  const lexer = new Lexer(new Source(text))
  for (let next = lexer.advance(); next.kind !== TokenKind.EOF; next = lexer.advance()) last = next
  return `syntax error, unexpected end of file${last ? ` at [${last.line}, ${last.column}]` : ''}`
}

/** Also those of objects that these shops do not have: by the form in which a connection is read. */
function connectionsIn(schema: GraphQLSchema, parent: string, { selections }: SelectionSetNode): number {
  let count = 0
  for (const selection of selections) {
    if (selection.kind === Kind.FRAGMENT_SPREAD || !selection.selectionSet) continue
    const inner =
      selection.kind === Kind.FIELD ? typeOf(schema, parent, selection) : selection.typeCondition?.name.value
    if (selection.kind === Kind.FIELD && isConnection(selection)) count++
    count += connectionsIn(schema, inner ?? parent, selection.selectionSet)
  }
  return count
}

const isConnection = ({ selectionSet }: FieldNode): boolean =>
  selectionSet?.selections.some((one) => one.kind === Kind.FIELD && /^(edges|nodes)$/.test(one.name.value)) ?? false

function typeOf(schema: GraphQLSchema, parent: string, field: FieldNode): string | undefined {
  const type = schema.getType(parent)
  return isObjectType(type) ? getNamedType(type.getFields()[field.name.value]?.type)?.name : undefined
}
