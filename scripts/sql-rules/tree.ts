/** A node of PostgreSQL's own parse tree, as libpg-query gives it: names to values, nodes or lists of nodes. */
export type Node = { [name: string]: unknown }

/** Every node of a kind below a node, itself included. */
export function nodesOf(node: unknown, kind: string): Node[] {
  if (Array.isArray(node)) return node.flatMap((one) => nodesOf(one, kind))
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) => [
    ...(name === kind ? [value as Node] : []),
    ...nodesOf(value, kind)
  ])
}

/** The last part of a function's name in lower case: `clock_timestamp` of `pg_catalog.clock_timestamp()`. */
export function functionName(call: Node): string {
  return ((call.funcname as { String: Node }[]).at(-1)!.String.sval as string).toLowerCase()
}

/** A table's name, with its schema where it is not ours: `sandbox.orders`. */
export function tableName(range: Node): string {
  const { schemaname: schema, relname } = range as { schemaname?: string; relname: string }
  return schema && schema !== 'public' ? `${schema}.${relname}` : relname
}

/** Strips casts from an expression. */
export function withoutCasts(node: Node | undefined): Node | undefined {
  return node?.TypeCast ? withoutCasts((node.TypeCast as Node).arg as Node) : node
}

/** The conjuncts of a condition: what `and` joins, at any depth. */
export function conjunctsOf(node: Node | undefined): Node[] {
  if (!node) return []
  const and = node.BoolExpr as Node | undefined
  if (and?.boolop === 'AND_EXPR') return (and.args as Node[]).flatMap(conjunctsOf)
  return [node]
}
