import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
  validate
} from 'graphql'

export type BulkQuery = { document: DocumentNode; root: string; connections: Set<string> }

const MAX_CONNECTIONS = 5
const MAX_DEPTH = 2
const PAGE = 100
const NESTED_PAGE = 250

/**
 * Parses a bulk query: one root connection, read through edges and nodes. The result can be run page by page, with sizes on its
 * connections and a cursor on the root. Throws with the reason if the query is not valid.
 */
export function readBulkQuery(schema: GraphQLSchema, text: string): BulkQuery {
  const document = parse(text, { maxTokens: 5_000, noLocation: true })
  const [operation, ...more] = document.definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION || more.length > 0 || operation.operation !== 'query') {
    throw new Error('Invalid bulk query: a single query operation is required')
  }
  const [field, ...others] = operation.selectionSet.selections
  if (field?.kind !== Kind.FIELD || others.length > 0)
    throw new Error('Bulk queries must contain exactly one connection')
  const seen = { count: 0, connections: new Set<string>() }
  const root = sized(schema, schema.getQueryType()!.name, field, seen, 1)
  if (seen.count === 0) throw new Error('Bulk queries must contain at least one connection.')
  const paged: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      {
        kind: Kind.OPERATION_DEFINITION,
        operation: operation.operation,
        variableDefinitions: [
          {
            kind: Kind.VARIABLE_DEFINITION,
            variable: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: 'after' } },
            type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'String' } }
          }
        ],
        selectionSet: { kind: Kind.SELECTION_SET, selections: [root] }
      }
    ]
  }
  const [wrong] = validate(schema, paged)
  if (wrong) throw new Error(wrong.message)
  return { document: paged, root: nameOf(field), connections: seen.connections }
}

function nameOf(field: FieldNode): string {
  return field.alias?.value ?? field.name.value
}

type Seen = { count: number; connections: Set<string> }

/** The field with page sizes on it and on every nested connection. */
function sized(schema: GraphQLSchema, parent: string, field: FieldNode, seen: Seen, depth: number): FieldNode {
  const type = schema.getType(parent)
  const named = isObjectType(type) ? getNamedType(type.getFields()[field.name.value]?.type) : null
  if (!field.selectionSet || !named) return field
  if (!named.name.endsWith('Connection')) {
    return { ...field, selectionSet: sizedSelections(schema, named.name, field.selectionSet, seen, depth) }
  }
  seen.count++
  if (seen.count > MAX_CONNECTIONS)
    throw new Error(`Bulk queries cannot contain more than ${MAX_CONNECTIONS} connections`)
  if (depth > MAX_DEPTH + 1)
    throw new Error(`Bulk queries cannot contain connections with a nesting depth greater than ${MAX_DEPTH}`)
  const edges = field.selectionSet.selections.find((s) => s.kind === Kind.FIELD && s.name.value === 'edges')
  if (edges?.kind !== Kind.FIELD) throw new Error('Connections in bulk queries must select edges and node')
  if (depth > 1) seen.connections.add(nameOf(field))
  const inner = sizedSelections(schema, named.name, { ...field.selectionSet, selections: [edges] }, seen, depth + 1)
  const pageInfo = parse('{ pageInfo { hasNextPage endCursor } }', { noLocation: true }).definitions[0]
  const extra = depth === 1 && pageInfo?.kind === Kind.OPERATION_DEFINITION ? pageInfo.selectionSet.selections : []
  return {
    ...field,
    arguments: [
      ...(field.arguments ?? []).filter((a) => !['first', 'last', 'after', 'before'].includes(a.name.value)),
      {
        kind: Kind.ARGUMENT,
        name: { kind: Kind.NAME, value: 'first' },
        value: { kind: Kind.INT, value: String(depth === 1 ? PAGE : NESTED_PAGE) }
      },
      ...(depth === 1
        ? [
            {
              kind: Kind.ARGUMENT,
              name: { kind: Kind.NAME, value: 'after' },
              value: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: 'after' } }
            } as const
          ]
        : [])
    ],
    selectionSet: { ...inner, selections: [...inner.selections, ...extra] }
  }
}

function sizedSelections(
  schema: GraphQLSchema,
  type: string,
  selections: SelectionSetNode,
  seen: Seen,
  depth: number
): SelectionSetNode {
  return {
    ...selections,
    selections: selections.selections.map((selection) => {
      if (selection.kind === Kind.FIELD) return sized(schema, type, selection, seen, depth)
      if (selection.kind === Kind.FRAGMENT_SPREAD) throw new Error('Bulk queries cannot contain named fragments')
      const on = selection.typeCondition?.name.value ?? type
      return { ...selection, selectionSet: sizedSelections(schema, on, selection.selectionSet, seen, depth) }
    })
  }
}
