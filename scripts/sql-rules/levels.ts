import { conjunctsOf, type Node, withoutCasts } from './tree.ts'

/** A relation of one query level, by the name that its columns have there. */
export type Relation = { table: string; alias: string }

/** One query level: a SELECT, INSERT, UPDATE or DELETE with its own relations and conditions. */
export type Level = {
  kind: 'select' | 'insert' | 'update' | 'delete'
  node: Node
  relations: Relation[]
  conditions: Node[]
}

const KINDS = { SelectStmt: 'select', InsertStmt: 'insert', UpdateStmt: 'update', DeleteStmt: 'delete' } as const

/** Every query level of a statement. Names of CTEs are no relations. */
export function levelsOf(statement: unknown, ctes: ReadonlySet<string> = new Set()): Level[] {
  if (Array.isArray(statement)) return statement.flatMap((one) => levelsOf(one, ctes))
  if (typeof statement !== 'object' || statement === null) return []
  return Object.entries(statement).flatMap(([name, value]) => {
    const kind = KINDS[name as keyof typeof KINDS]
    if (!kind) return levelsOf(value, ctes)
    const node = value as Node
    const own = ((node.withClause as Node)?.ctes as { CommonTableExpr: Node }[] | undefined) ?? []
    const known = new Set([...ctes, ...own.map(({ CommonTableExpr: cte }) => cte.ctename as string)])
    return [levelOf(kind, node, known), ...levelsOf(Object.values(node), known)]
  })
}

function levelOf(kind: Level['kind'], node: Node, ctes: ReadonlySet<string>): Level {
  const from = [...((node.fromClause as Node[]) ?? []), ...((node.usingClause as Node[]) ?? [])]
  const items = from.map((item) => fromItem(item, ctes))
  const target = kind !== 'select' && node.relation ? [relationOf(node.relation as Node)] : []
  return {
    kind,
    node,
    relations: [...(kind === 'insert' ? [] : target), ...items.flatMap((item) => item.relations)],
    conditions: [...conjunctsOf(node.whereClause as Node), ...items.flatMap((item) => item.conditions)]
  }
}

function fromItem(item: Node, ctes: ReadonlySet<string>): { relations: Relation[]; conditions: Node[] } {
  const join = item.JoinExpr as Node | undefined
  if (join) {
    const [left, right] = [fromItem(join.larg as Node, ctes), fromItem(join.rarg as Node, ctes)]
    return {
      relations: [...left.relations, ...right.relations],
      conditions: [...conjunctsOf(join.quals as Node), ...left.conditions, ...right.conditions]
    }
  }
  const relation = item.RangeVar ? relationOf(item.RangeVar as Node) : null
  return { relations: relation && !ctes.has(relation.table) ? [relation] : [], conditions: [] }
}

function relationOf(range: Node): Relation {
  return {
    table: range.relname as string,
    alias: ((range.alias as Node)?.aliasname as string) ?? (range.relname as string)
  }
}

/** Whether the level says `relation.store_id = $n` itself, and not only through a join. */
export function isBound({ relations, conditions }: Level, relation: Relation): boolean {
  return conditions.some((condition) => {
    const equals = condition.A_Expr as Node | undefined
    if (equals?.kind !== 'AEXPR_OP' || ((equals.name as Node[])[0]!.String as Node).sval !== '=') return false
    const sides = [withoutCasts(equals.lexpr as Node), withoutCasts(equals.rexpr as Node)]
    const isParameter = sides.some((side) => side?.ParamRef)
    return (
      isParameter && sides.some((side) => side?.ColumnRef && isStoreOf(side.ColumnRef as Node, relation, relations))
    )
  })
}

function isStoreOf(column: Node, { alias }: Relation, relations: Relation[]): boolean {
  const names = (column.fields as { String?: Node }[]).map(({ String: name }) => name?.sval)
  if (names.at(-1) !== 'store_id') return false
  return names.length === 1 ? relations.length === 1 : names[0] === alias
}
