import { conjunctsOf, type Node, tableName, withoutCasts } from './tree.ts'

/** A relation of one query level, by the name that its columns have there. */
export type Relation = { table: string; alias: string }

/** A condition, and the relations that it limits: an outer join's limits only the side that may be missing. */
type Condition = { node: Node; limits: readonly Relation[] | 'all' }

/** One query level: a SELECT, INSERT, UPDATE, DELETE or MERGE with its own relations and conditions. */
export type Level = {
  kind: 'select' | 'insert' | 'update' | 'delete' | 'merge'
  node: Node
  relations: Relation[]
  conditions: Condition[]
}

const KINDS = {
  SelectStmt: 'select',
  InsertStmt: 'insert',
  UpdateStmt: 'update',
  DeleteStmt: 'delete',
  MergeStmt: 'merge'
} as const

type Names = ReadonlySet<string>

/** Every query level of a statement. Names of CTEs are no relations where they are known. */
export function levelsOf(statement: unknown, ctes: Names = new Set()): Level[] {
  if (Array.isArray(statement)) return statement.flatMap((one) => levelsOf(one, ctes))
  if (typeof statement !== 'object' || statement === null) return []
  return Object.entries(statement).flatMap(([name, value]) => {
    const kind = KINDS[name as keyof typeof KINDS]
    return kind ? queryLevels(kind, value as Node, ctes) : levelsOf(value, ctes)
  })
}

function queryLevels(kind: Level['kind'], node: Node, outer: Names): Level[] {
  const { withClause, larg, rarg, ...others } = node
  const known = new Set(outer)
  const isRecursive = (withClause as Node)?.recursive === true
  const own = ((withClause as Node)?.ctes as { CommonTableExpr: Node }[] | undefined) ?? []
  // A CTE knows those before it, and itself only where it is recursive: `with members as (select … from members)` reads the table.
  const ofCtes = own.flatMap(({ CommonTableExpr: cte }) => {
    if (isRecursive) known.add(cte.ctename as string)
    const levels = levelsOf(cte.ctequery, new Set(known))
    known.add(cte.ctename as string)
    return levels
  })
  // The branches of UNION are queries of their own.
  const branches = [larg, rarg].filter(Boolean).flatMap((branch) => queryLevels('select', branch as Node, known))
  return [
    levelOf(kind, node, known),
    ...ofCtes,
    ...branches,
    ...Object.values(others).flatMap((below) => levelsOf(below, known))
  ]
}

function levelOf(kind: Level['kind'], node: Node, ctes: Names): Level {
  const source = kind === 'merge' ? [node.sourceRelation as Node] : []
  const from = [...((node.fromClause as Node[]) ?? []), ...((node.usingClause as Node[]) ?? []), ...source]
  const items = from.map((item) => fromItem(item, ctes))
  const target = kind !== 'select' && node.relation ? [relationOf(node.relation as Node)] : []
  const where = [...conjunctsOf(node.whereClause as Node), ...conjunctsOf(node.joinCondition as Node)]
  return {
    kind,
    node,
    relations: [...(kind === 'insert' ? [] : target), ...items.flatMap((item) => item.relations)],
    conditions: [
      ...where.map((one): Condition => ({ node: one, limits: 'all' })),
      ...items.flatMap((item) => item.conditions)
    ]
  }
}

function fromItem(item: Node, ctes: Names): { relations: Relation[]; conditions: Condition[] } {
  const join = item.JoinExpr as Node | undefined
  if (join) {
    const [left, right] = [fromItem(join.larg as Node, ctes), fromItem(join.rarg as Node, ctes)]
    const limits = {
      JOIN_INNER: [...left.relations, ...right.relations],
      JOIN_LEFT: right.relations,
      JOIN_RIGHT: left.relations
    }[join.jointype as string]
    return {
      relations: [...left.relations, ...right.relations],
      conditions: [
        ...conjunctsOf(join.quals as Node).map((node) => ({ node, limits: limits ?? [] })),
        ...left.conditions,
        ...right.conditions
      ]
    }
  }
  const sample = item.RangeTableSample as Node | undefined
  if (sample) return fromItem(sample.relation as Node, ctes)
  const range = item.RangeVar as Node | undefined
  const isCte = range && !range.schemaname && ctes.has(range.relname as string)
  return { relations: range && !isCte ? [relationOf(range)] : [], conditions: [] }
}

function relationOf(range: Node): Relation {
  return {
    table: tableName(range),
    alias: ((range.alias as Node)?.aliasname as string) ?? (range.relname as string)
  }
}

/** The parameters n for which the level says `relation.store_id = $n` itself, and not only through a join. */
export function storesOf(level: Level, relation: Relation): number[] {
  return equalToStore(level, relation).flatMap((side) => {
    const parameter = side?.ParamRef as Node | undefined
    return parameter ? [parameter.number as number] : []
  })
}

/** The names of what the level joins by `relation.store_id = name.store_id`. */
export function joinedStoresOf(level: Level, relation: Relation): string[] {
  return equalToStore(level, relation).flatMap((side) => {
    const names = side?.ColumnRef ? columnNames(side.ColumnRef as Node) : []
    return names.length === 2 && names[1] === 'store_id' && names[0] !== relation.alias ? [names[0]!] : []
  })
}

/** What the level's conditions say a relation's `store_id` is equal to. */
function equalToStore({ relations, conditions }: Level, relation: Relation): (Node | undefined)[] {
  return conditions.flatMap(({ node, limits }) => {
    if (limits !== 'all' && !limits.includes(relation)) return []
    const equals = node.A_Expr as Node | undefined
    if (equals?.kind !== 'AEXPR_OP' || ((equals.name as Node[]).at(-1)!.String as Node).sval !== '=') return []
    const sides = [withoutCasts(equals.lexpr as Node), withoutCasts(equals.rexpr as Node)]
    const at = sides.findIndex((side) => side?.ColumnRef && isStoreOf(side.ColumnRef as Node, relation, relations))
    return at < 0 ? [] : [sides[1 - at]]
  })
}

function isStoreOf(column: Node, { alias }: Relation, relations: Relation[]): boolean {
  const names = columnNames(column)
  if (names.at(-1) !== 'store_id') return false
  return names.length === 1 ? relations.length === 1 : names[0] === alias
}

const columnNames = (column: Node) =>
  (column.fields as { String?: Node }[]).map(({ String: name }) => name?.sval as string)
