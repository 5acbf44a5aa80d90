import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode
} from 'graphql'

type Variables = Record<string, unknown>
type Walk = {
  schema: GraphQLSchema
  fragments: Map<string, FragmentDefinitionNode>
  variables: Variables
  /** The response, to count what it has; undefined to count the maximum. */
  answered: boolean
}

const MUTATION_COST = 10

/**
 * The published weights: scalars 0, objects 1, mutations 10. The platform does not publish how the cost of a connection grows with
 * its size; 2 plus the logarithm of the size matches recorded responses.
 */
function connectionWeight(size: number): number {
  return 2 + Math.ceil(Math.log2(size + 1))
}

/** The maximum cost of an operation, which must fit into the bucket before it runs. */
export function requestedCost(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Map<string, FragmentDefinitionNode>,
  variables: Variables
): number {
  return costOf({ schema, fragments, variables, answered: false }, operation, undefined)
}

/** The actual cost, by the response. */
export function actualCost(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Map<string, FragmentDefinitionNode>,
  variables: Variables,
  data: unknown
): number {
  return costOf({ schema, fragments, variables, answered: true }, operation, data)
}

function costOf(walk: Walk, operation: OperationDefinitionNode, data: unknown): number {
  const mutation = operation.operation === 'mutation'
  const root = mutation ? walk.schema.getMutationType() : walk.schema.getQueryType()
  if (!root) return 0
  if (!mutation) return Math.max(1, selectionCost(walk, root, operation.selectionSet, data))
  let cost = 0
  for (const field of fieldsIn(walk, operation.selectionSet)) {
    const payload = getNamedType(root.getFields()[field.name.value]?.type)
    cost += MUTATION_COST
    // A mutation's 10 include its first level.
    for (const part of field.selectionSet ? fieldsIn(walk, field.selectionSet) : []) {
      const type = payload && isObjectType(payload) ? getNamedType(payload.getFields()[part.name.value]?.type) : null
      if (!type || !part.selectionSet || part.name.value === 'userErrors') continue
      const value = read(read(data, field), part)
      if (walk.answered && (value === null || value === undefined)) continue
      cost += selectionCost(walk, type, part.selectionSet, Array.isArray(value) ? value[0] : value)
    }
  }
  return cost
}

function selectionCost(walk: Walk, type: GraphQLNamedType, selections: SelectionSetNode, data: unknown): number {
  let cost = 0
  let widest = 0
  for (const selection of selections.selections) {
    if (selection.kind === Kind.FIELD) {
      cost += fieldCost(walk, type, selection, read(data, selection))
      continue
    }
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? walk.fragments.get(selection.name.value) : selection
    const on = fragment?.typeCondition ? walk.schema.getType(fragment.typeCondition.name.value) : type
    if (!fragment || !on) continue
    const inner = selectionCost(walk, on, fragment.selectionSet, data)
    // An abstract type counts as the most expensive of its possible types.
    if (isObjectType(on) && on !== type) widest = Math.max(widest, inner)
    else cost += inner
  }
  return cost + widest
}

function fieldCost(walk: Walk, type: GraphQLNamedType, field: FieldNode, value: unknown): number {
  if (!field.selectionSet || !(isObjectType(type) || isInterfaceType(type))) return 0
  const named = getNamedType(type.getFields()[field.name.value]?.type)
  if (!named || !isCompositeType(named)) return 0
  if (walk.answered && value === null) return 1
  if (!named.name.endsWith('Connection')) {
    return 1 + selectionCost(walk, named, field.selectionSet, Array.isArray(value) ? value[0] : value)
  }
  return connectionCost(walk, named, field, value)
}

function connectionCost(walk: Walk, type: GraphQLNamedType, field: FieldNode, value: unknown): number {
  let size = walk.answered ? 0 : sizeOf(walk, field)
  let inner = 0
  for (const part of fieldsIn(walk, field.selectionSet!)) {
    if (!part.selectionSet || !isObjectType(type)) continue
    const list = getNamedType(type.getFields()[part.name.value]?.type)
    const items = read(value, part)
    if (!list || part.name.value === 'pageInfo') continue
    if (walk.answered && Array.isArray(items)) size = Math.max(size, items.length)
    // Edges cost nothing; their nodes do.
    inner += selectionCost(walk, list, part.selectionSet, Array.isArray(items) ? items[0] : undefined)
  }
  const weight = connectionWeight(size)
  return weight + Math.round((weight - 2) * inner)
}

function sizeOf(walk: Walk, field: FieldNode): number {
  for (const argument of field.arguments ?? []) {
    if (argument.name.value !== 'first' && argument.name.value !== 'last') continue
    if (argument.value.kind === Kind.INT) return Number(argument.value.value)
    if (argument.value.kind === Kind.VARIABLE) {
      const given = walk.variables[argument.value.name.value]
      if (typeof given === 'number') return given
    }
  }
  return 10
}

function* fieldsIn(walk: Walk, selections: SelectionSetNode): Generator<FieldNode> {
  for (const selection of selections.selections) {
    if (selection.kind === Kind.FIELD) yield selection
    else {
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? walk.fragments.get(selection.name.value) : selection
      if (fragment) yield* fieldsIn(walk, fragment.selectionSet)
    }
  }
}

function read(data: unknown, field: FieldNode): unknown {
  if (data === null || typeof data !== 'object') return undefined
  return (data as Record<string, unknown>)[field.alias?.value ?? field.name.value]
}
