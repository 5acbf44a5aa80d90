// Takes out of a document what the sandbox deliberately lacks.
import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  Kind,
  parse,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo
} from 'graphql'

export type Reduced = {
  /** Null if nothing is left of it. */
  document: string | null
  isReduced: boolean
  /** What was taken out: `Type.field`, or `... on Type`. */
  without: string[]
}

/** The document without the listed fields and types. A field that is not listed stays, and is refused if the sandbox lacks it. */
export function reduceDocument(text: string, schema: GraphQLSchema, lacking: ReadonlySet<string>): Reduced {
  let left: DocumentNode
  try {
    left = parse(text)
  } catch {
    return { document: text, isReduced: false, without: [] }
  }
  const without = new Set<string>()
  const info = new TypeInfo(schema)
  for (let before = ''; before !== print(left); ) {
    before = print(left)
    left = visit(
      left,
      visitWithTypeInfo(info, {
        Field: {
          enter(node) {
            const parent = info.getParentType()
            if (!parent || !lacking.has(`${parent.name}.${node.name.value}`)) return undefined
            without.add(`${parent.name}.${node.name.value}`)
            return null
          },
          leave(node) {
            const type = getNamedType(info.getType() ?? null)
            const isEmpty = node.selectionSet?.selections.length === 0
            return isEmpty && (!type || isCompositeType(type)) ? null : undefined
          }
        },
        InlineFragment: {
          enter(node) {
            const on = `... on ${node.typeCondition?.name.value}`
            if (!lacking.has(on)) return undefined
            without.add(on)
            return null
          },
          leave: (node) => (node.selectionSet.selections.length === 0 ? null : undefined)
        }
      })
    )
  }
  if (without.size === 0) return { document: text, isReduced: false, without: [] }
  const operations = left.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION)
  if (operations.every((one) => one.selectionSet.selections.length === 0)) {
    return { document: null, isReduced: true, without: [...without] }
  }
  const spread = new Set<string>()
  visit(left, { FragmentSpread: (node) => void spread.add(node.name.value) })
  const isUsed = (name: string) =>
    left.definitions.some((one) => 'selectionSet' in one && print(one.selectionSet).includes(`$${name}`))
  left = visit(left, {
    VariableDefinition: (node) => (isUsed(node.variable.name.value) ? undefined : null),
    FragmentDefinition: (node) => (spread.has(node.name.value) ? undefined : null)
  })
  return { document: print(left), isReduced: true, without: [...without] }
}

/** The fields at the top of a document, for the table of results. */
export function rootsOf(text: string): string {
  try {
    const roots = parse(text).definitions.flatMap((one) =>
      one.kind === Kind.OPERATION_DEFINITION ? one.selectionSet.selections : []
    )
    return [...new Set(roots.map((one) => (one.kind === Kind.FIELD ? one.name.value : '…')))].join(', ')
  } catch {
    return '(not GraphQL)'
  }
}
