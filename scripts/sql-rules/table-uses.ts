import { type Node, nodesOf } from './tree.ts'

/** A table that a statement reads or writes, and where it names it. `schema` is empty where the statement does not say it. */
export type TableUse = { schema: string; table: string; isWrite: boolean; index: number }

/** Statements whose `relation` they change; a lock keeps others from changing it. */
const CHANGES = new Set([
  'InsertStmt',
  'UpdateStmt',
  'DeleteStmt',
  'MergeStmt',
  'AlterTableStmt',
  'RenameStmt',
  'IndexStmt',
  'CreateTrigStmt',
  'CreatePolicyStmt',
  'RuleStmt'
])
/** Statements that change a list of relations. */
const CHANGES_OF_MANY = new Set(['TruncateStmt', 'LockStmt', 'GrantStmt', 'CreateStatsStmt'])

/** What is dropped with a table's name: itself, or something of it (`drop trigger a on members`). */
const DROPPED = /^OBJECT_(TABLE|VIEW|INDEX|TRIGGER|POLICY|RULE)$/

/** The tables that a parsed statement uses; names of CTEs are none where they are known. */
export function tableUses(below: unknown, ctes: ReadonlySet<string> = new Set()): TableUse[] {
  if (Array.isArray(below)) return below.flatMap((one) => tableUses(one, ctes))
  if (typeof below !== 'object' || below === null) return []
  const { withClause, ...others } = below as Node
  const known = new Set(ctes)
  const own = ((withClause as Node)?.ctes as { CommonTableExpr: Node }[] | undefined) ?? []
  const ofCtes = own.flatMap(({ CommonTableExpr: cte }) => {
    if ((withClause as Node).recursive) known.add(cte.ctename as string)
    const uses = tableUses(cte.ctequery, new Set(known))
    known.add(cte.ctename as string)
    return uses
  })
  return [...ofCtes, ...Object.entries(others).flatMap(([name, value]) => usesOf(name, value as Node, known))]
}

function usesOf(name: string, value: Node, ctes: ReadonlySet<string>): TableUse[] {
  if (name === 'RangeVar') return ctes.has(value.relname as string) && !value.schemaname ? [] : [useOf(value, false)]
  if (name === 'IntoClause' || name === 'intoClause' || name === 'into')
    return value.rel ? [useOf(value.rel as Node, true)] : []
  // A new table is nobody else's; one that it extends or is a partition of is changed, and one that it references is read.
  if (name === 'CreateStmt') {
    const extended = nodesOf(value.inhRelations, 'RangeVar').map((range) => useOf(range, true))
    return [...extended, ...tableUses(value.tableElts, ctes)]
  }
  if (name === 'pktable') return [useOf(value, false)]
  if (CHANGES.has(name)) return [useOf((value.relation ?? value.table) as Node, true), ...tableUses(value, ctes)]
  if (name === 'CopyStmt' && value.relation) return [useOf(value.relation as Node, value.is_from === true)]
  if (CHANGES_OF_MANY.has(name)) return nodesOf(value, 'RangeVar').map((range) => useOf(range, true))
  if (name === 'DropStmt' && DROPPED.test(value.removeType as string)) {
    const isOfTable = !/(TABLE|VIEW|INDEX)$/.test(value.removeType as string)
    return nodesOf(value.objects, 'List').map(({ items }) => {
      const names = nodesOf(items, 'String').map(({ sval }) => sval as string)
      if (isOfTable) names.pop()
      return { schema: names.at(-2) ?? '', table: names.at(-1)!, isWrite: true, index: 0 }
    })
  }
  return tableUses(value, ctes)
}

function useOf(range: Node, isWrite: boolean): TableUse {
  const {
    schemaname = '',
    relname,
    location = 0
  } = range as { schemaname?: string; relname: string; location?: number }
  return { schema: schemaname, table: relname, isWrite, index: location }
}

/** The same of a text that is only a part of a statement, by the words before the tables' names. */
export function usesInWords(text: string): TableUse[] {
  const plain = text
    .replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
    .replace(/'[^']*'/g, '')
    .replace(/\bfor\s+(no key )?update\b/gi, '')
    .replace(/\bextract\s*\([a-z]+\s+from\b|\bdistinct from\b/gi, '')
    .replace(/\bdo\s+update\s+set\b/gi, '')
  const verbs = 'insert\\s+into|merge\\s+into|update|delete\\s+from|truncate(?:\\s+table)?|from|join|using|,'
  const pattern = new RegExp(
    `(?:\\b|(?=,))(${verbs})\\s+(?:only\\s+|lateral\\s+)?(?:"?public"?\\.)?"?([a-z_][a-z_0-9]*)`,
    'gi'
  )
  return [...plain.matchAll(pattern)].map((match) => ({
    schema: '',
    table: match[2]!.toLowerCase(),
    isWrite: /insert|merge|update|delete|truncate/i.test(match[1]!),
    index: 0
  }))
}
