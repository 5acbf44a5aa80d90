// Takes out of a document what the sandbox deliberately lacks.
import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  Kind,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
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

/**
 * The document with only the fields that a recorded answer has: what is kept apart from its answer may ask for more by now. Below what
 * the answer does not have, nothing is known, and all is kept.
 */
export function askedThen(text: string, data: unknown): string {
  let document: DocumentNode
  try {
    document = parse(text)
  } catch {
    return text
  }
  const fragments = new Map(
    document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : []
    )
  )
  const kept = (set: SelectionSetNode, answer: unknown): SelectionSetNode => {
    const object = firstObject(answer)
    if (!object) return set
    const selections = set.selections.flatMap((one): SelectionNode[] => {
      if (one.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(one.name.value)
        if (!fragment) return [one]
        const selectionSet = kept(fragment.selectionSet, answer)
        return [{ kind: Kind.INLINE_FRAGMENT, typeCondition: fragment.typeCondition, selectionSet }]
      }
      if (one.kind === Kind.INLINE_FRAGMENT) {
        // Of another type than the answer's it may be whole.
        return [{ ...one, selectionSet: kept(one.selectionSet, answer) }].filter(
          ({ selectionSet }) => selectionSet.selections.length > 0
        )
      }
      const key = one.alias?.value ?? one.name.value
      if (!(key in object)) return []
      return [one.selectionSet ? { ...one, selectionSet: kept(one.selectionSet, object[key]) } : one]
    })
    return { ...set, selections }
  }
  const operations = document.definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION ? [{ ...one, selectionSet: kept(one.selectionSet, data) }] : []
  )
  if (operations.some(({ selectionSet }) => selectionSet.selections.length === 0)) return text
  const body = operations.map((one) => print(one.selectionSet)).join(' ')
  const used = operations.map((one) => ({
    ...one,
    variableDefinitions: one.variableDefinitions?.filter(({ variable }) =>
      new RegExp(`\\$${variable.name.value}\\b`).test(body)
    )
  }))
  return used.map((one) => print(one)).join('\n')
}

function firstObject(answer: unknown): Record<string, unknown> | null {
  const one = Array.isArray(answer) ? answer[0] : answer
  return typeof one === 'object' && one !== null && !Array.isArray(one) ? (one as Record<string, unknown>) : null
}
