// Maps a recorded answer onto the fields that a document of the connector asks for. What was recorded under another alias, or as edges
// instead of nodes, is found; what nobody asked for then is null where the schema allows it, and made up where it does not.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode
} from 'graphql'

type Json = any
type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** A selection with the fragments of its document. */
export type Selection = { set: SelectionSetNode | undefined; fragments: Fragments }

export type Projected = {
  value: Json
  /** Fields of ours that were not recorded and may not be null, whose values are made up: `codeDiscountNode.id`. */
  madeUp: string[]
  /** Fields of ours that were recorded. */
  recorded: string[]
}

type Projection = { schema: GraphQLSchema; madeUp: string[]; recorded: string[] }

/** The value of a field of ours, of `type`, from the recorded value of a field of the same type. */
export function projectAnswer(
  schema: GraphQLSchema,
  type: GraphQLOutputType,
  ours: Selection,
  theirs: Selection,
  value: Json
): Projected {
  const to: Projection = { schema, madeUp: [], recorded: [] }
  return { value: projected(to, type, ours, theirs, value, ''), madeUp: to.madeUp, recorded: to.recorded }
}

function projected(
  to: Projection,
  type: GraphQLOutputType,
  ours: Selection,
  theirs: Selection,
  value: Json,
  at: string
): Json {
  if (value === null || value === undefined) return null
  const nullable = getNullableType(type)
  if (isListType(nullable)) return value.map((one: Json) => projected(to, nullable.ofType, ours, theirs, one, at))
  if (!ours.set) return value
  const named = concrete(to.schema, getNamedType(type), theirs, value)
  const result: Record<string, Json> = {}
  for (const field of fieldsOf(ours, named, to.schema)) {
    const key = field.alias?.value ?? field.name.value
    if (field.name.value === '__typename') {
      result[key] = named.name
      continue
    }
    const place = at ? `${at}.${field.name.value}` : field.name.value
    result[key] = ofField(to, named as GraphQLObjectType, field, { ours, theirs, value, at: place })
  }
  return result
}

function ofField(
  to: Projection,
  parent: GraphQLObjectType,
  field: FieldNode,
  { ours, theirs, value, at }: { ours: Selection; theirs: Selection; value: Json; at: string }
): Json {
  const name = field.name.value
  const { type } = parent.getFields()[name]!
  const mine = { set: field.selectionSet, fragments: ours.fragments }
  const found = recordedField(theirs, name, value)
  const limit = field.arguments?.find((argument) => argument.name.value === 'first')?.value
  const first = limit?.kind === Kind.INT ? Number(limit.value) : Number.POSITIVE_INFINITY
  if (found) {
    to.recorded.push(at)
    const inner = projected(to, type, mine, { set: found.selectionSet, fragments: theirs.fragments }, found.value, at)
    if (Array.isArray(inner?.nodes)) inner.nodes = inner.nodes.slice(0, first)
    return inner
  }
  const edges = name === 'nodes' && recordedField(theirs, 'edges', value)
  if (edges) {
    const edge = { set: edges.selectionSet, fragments: theirs.fragments }
    to.recorded.push(at)
    return edges.value.map((one: Json) => {
      const node = recordedField(edge, 'node', one)
      const item = (getNullableType(type) as { ofType?: GraphQLOutputType }).ofType ?? type
      return projected(to, item, mine, { set: node?.selectionSet, fragments: theirs.fragments }, node?.value ?? {}, at)
    })
  }
  if (name === 'defaultEmailAddress') {
    const email = recordedField(theirs, 'email', value)
    if (email) return email.value === null ? null : { emailAddress: email.value }
  }
  // A list of which nothing was recorded is empty.
  if (!isNonNullType(type) && !getNamedType(type).name.endsWith('Connection')) return null
  if (isListType(getNullableType(type))) return []
  if (name === 'pageInfo') return { hasNextPage: false, endCursor: null }
  if (mine.set) return projected(to, type, mine, { set: undefined, fragments: theirs.fragments }, {}, at)
  to.madeUp.push(at)
  return madeUpValue(getNamedType(type))
}

/** Any value of a type. */
function madeUpValue(type: GraphQLNamedType): Json {
  if (isEnumType(type)) return type.getValues()[0]!.name
  const values: Record<string, Json> = {
    ID: 'gid://shopify/Node/1',
    Int: 0,
    Boolean: false,
    DateTime: '2026-07-10T00:00:00Z',
    Decimal: '0.00',
    UnsignedInt64: '0',
    CurrencyCode: 'CAD',
    Money: '0.00'
  }
  return values[type.name] ?? 'text'
}

type Found = { value: Json; selectionSet: SelectionSetNode | undefined }

/** A recorded field by its name, whatever its alias; where it was asked for more than once, without an alias first. */
export function recordedField(theirs: Selection, name: string, value: Json): Found | null {
  const all = everyField(theirs).filter((one) => one.name.value === name)
  const of = all.find((one) => !one.alias && name in value) ?? all.find((one) => (one.alias?.value ?? name) in value)
  if (!of) return null
  return { value: value[of.alias?.value ?? name], selectionSet: of.selectionSet }
}

/** Every field of a selection, also those of fragments on whichever type. */
export function everyField({ set, fragments }: Selection): FieldNode[] {
  return (set?.selections ?? []).flatMap((one): FieldNode[] => {
    if (one.kind === Kind.FIELD) return [one]
    const inner = one.kind === Kind.INLINE_FRAGMENT ? one : fragments.get(one.name.value)
    return everyField({ set: inner?.selectionSet, fragments })
  })
}

/** The fields of a selection that an object of a type has. */
function fieldsOf({ set, fragments }: Selection, type: GraphQLNamedType, schema: GraphQLSchema): FieldNode[] {
  return (set?.selections ?? []).flatMap((one): FieldNode[] => {
    if (one.kind === Kind.FIELD) return [one]
    const inner = one.kind === Kind.INLINE_FRAGMENT ? one : fragments.get(one.name.value)!
    const on = inner.typeCondition ? schema.getType(inner.typeCondition.name.value)! : type
    const fits = on === type || (isAbstractType(on) && isObjectType(type) && schema.isSubType(on, type))
    return fits ? fieldsOf({ set: inner.selectionSet, fragments }, type, schema) : []
  })
}

/** The type of an object: what it says, what its id says, or the type of the fragment that it has fields of. */
function concrete(schema: GraphQLSchema, type: GraphQLNamedType, theirs: Selection, value: Json): GraphQLNamedType {
  if (!isAbstractType(type)) return type
  const possible = schema.getPossibleTypes(type)
  const stated = value.__typename ?? /^gid:\/\/\w+\/(\w+)\//.exec(value.id ?? '')?.[1]
  const ofName = possible.find(({ name }) => name === stated)
  if (ofName) return ofName
  const conditions = (theirs.set?.selections ?? []).flatMap((one) =>
    one.kind === Kind.INLINE_FRAGMENT && one.typeCondition
      ? [{ name: one.typeCondition.name.value, set: one.selectionSet }]
      : []
  )
  const fitting = conditions.find(({ set }) =>
    everyField({ set, fragments: theirs.fragments }).some((one) => (one.alias?.value ?? one.name.value) in value)
  )
  return possible.find(({ name }) => name === fitting?.name) ?? possible[0]!
}
