import { MAINTAINED_COUNTS } from './exceptions.ts'
import { isBound, type Level, levelsOf } from './levels.ts'
import type { Schema } from './schema.ts'
import { functionName, type Node, nodesOf, withoutCasts } from './tree.ts'

/** What a rule finds wrong with a statement. Rules are numbered as ARCHITECTURE.md lists them. */
export type Problem = { rule: 1 | 2 | 3 | 4 | 5 | 8; reason: string }

const VOLATILE = new Set(['clock_timestamp', 'random', 'gen_random_uuid', 'nextval', 'setval', 'timeofday'])
const TIMES = new Set(['now', 'statement_timestamp', 'transaction_timestamp'])

/** Everything that keeps a parsed statement from running where stores are spread over machines. */
export function problemsOf(statement: Node, schema: Schema): Problem[] {
  const levels = levelsOf(statement)
  const problems = [
    ...levels.flatMap((level) => unboundRelations(level, schema)),
    ...levels.flatMap((level) => volatileFunctions(level, schema)),
    ...levels.flatMap((level) => insertsOfRows(level, schema)),
    ...functionsThatRead(statement, levels, schema),
    ...settings(statement)
  ]
  const seen = new Set<string>()
  return problems.filter(({ rule, reason }) => !seen.has(`${rule} ${reason}`) && seen.add(`${rule} ${reason}`))
}

/** Rule 1, and 5 where a relation without its store is locked. */
function unboundRelations(level: Level, { sharded }: Schema): Problem[] {
  const unbound = level.relations
    .filter(({ table }) => sharded.has(table))
    .filter((relation) => !isBound(level, relation))
    .map(({ table, alias }) => (table === alias ? table : `${table} ${alias}`))
  const locked = lockedNames(level.node)
  return [
    ...unbound.map((name): Problem => ({ rule: 1, reason: `${name} has no store_id = $n of its own` })),
    ...unbound
      .filter((name) => locked === 'all' || locked.includes(name.split(' ').at(-1)!))
      .map((name): Problem => ({ rule: 5, reason: `${name} is locked for more than one store` })),
    ...(level.kind === 'insert' ? insertedStore(level.node, sharded) : [])
  ]
}

/** The relations that `for update of …` names; all of the level where it names none. */
function lockedNames(node: Node): string[] | 'all' {
  const clauses = ((node.lockingClause as { LockingClause: Node }[]) ?? []).map((clause) => clause.LockingClause)
  if (clauses.some(({ lockedRels }) => lockedRels === undefined)) return 'all'
  return clauses.flatMap(({ lockedRels }) =>
    (lockedRels as { RangeVar: Node }[]).map((rel) => rel.RangeVar.relname as string)
  )
}

function insertedStore(node: Node, sharded: ReadonlySet<string>): Problem[] {
  const table = (node.relation as Node).relname as string
  if (!sharded.has(table)) return []
  const columns = ((node.cols as { ResTarget: Node }[]) ?? []).map(({ ResTarget: column }) => column.name)
  const at = columns.indexOf('store_id')
  const select = (node.selectStmt as Node)?.SelectStmt as Node | undefined
  const rows = ((select?.valuesLists as { List: Node }[]) ?? []).map(({ List: row }) => row.items as Node[])
  const values = select?.targetList
    ? [((select.targetList as { ResTarget: Node }[])[at]?.ResTarget.val as Node) ?? {}]
    : rows.map((row) => row[at] ?? {})
  const isParameter = at >= 0 && values.length > 0 && values.every((value) => withoutCasts(value)?.ParamRef)
  return isParameter ? [] : [{ rule: 1, reason: `${table} is written without store_id as a parameter` }]
}

/** Rule 2. */
function volatileFunctions({ kind, node }: Level, { functions }: Schema): Problem[] {
  const isVolatile = (name: string) => VOLATILE.has(name) || functions.get(name)?.isVolatile === true
  const conflict = node.onConflictClause as Node | undefined
  const changed = kind === 'update' || kind === 'delete' ? node : kind === 'insert' ? conflict : undefined
  if (!changed) return []
  const calls = (below: unknown) => nodesOf(below, 'FuncCall').map(functionName)
  const inBranches = [
    ...nodesOf(changed, 'CaseExpr'),
    ...nodesOf(changed, 'CoalesceExpr'),
    ...(conflict ? [conflict] : [])
  ]
  return [
    ...calls(changed)
      .filter(isVolatile)
      .map(
        (name): Problem => ({ rule: 2, reason: `${name}() is volatile: give a parameter or statement_timestamp()` })
      ),
    ...calls(inBranches)
      .filter((name) => TIMES.has(name))
      .map((name): Problem => ({ rule: 2, reason: `${name}() in CASE, COALESCE or DO UPDATE: give a parameter` }))
  ]
}

/** Rule 3. */
function insertsOfRows({ kind, node }: Level, { sharded }: Schema): Problem[] {
  const select = (node.selectStmt as Node)?.SelectStmt as Node | undefined
  if (kind !== 'insert' || !select || select.valuesLists) return []
  const table = (node.relation as Node).relname as string
  if (!sharded.has(table)) return []
  const direct = levelsOf({ SelectStmt: select })[0]!.relations.filter((relation) => sharded.has(relation.table))
  const isAnswered =
    node.onConflictClause !== undefined || node.returningClause !== undefined || node.returningList !== undefined
  return [
    ...(isAnswered
      ? []
      : [{ rule: 3, reason: `insert … select into ${table} has neither ON CONFLICT nor RETURNING` } as const]),
    ...direct.map(
      ({ table: read }): Problem => ({
        rule: 3,
        reason: `insert … select reads ${read} outside a subselect with offset 0`
      })
    )
  ]
}

/** Rule 4. */
function functionsThatRead(statement: Node, levels: Level[], { sharded, functions }: Schema): Problem[] {
  const readers = nodesOf(statement, 'FuncCall')
    .map(functionName)
    .filter((name) => functions.get(name)?.readsTables && !MAINTAINED_COUNTS.functions.has(name))
  const readsTables = levels.some(({ relations }) => relations.some(({ table }) => sharded.has(table)))
  return readers.flatMap((name): Problem[] => [
    ...(readsTables
      ? [{ rule: 4, reason: `${name}() reads tables inside a statement that reads tables` } as const]
      : []),
    ...(functions.get(name)!.language === 'plpgsql'
      ? []
      : [{ rule: 4, reason: `${name}() reads tables and is not plpgsql` } as const])
  ])
}

/** Rule 8. */
function settings(statement: Node): Problem[] {
  return nodesOf(statement, 'FuncCall').some((call) => functionName(call) === 'set_config')
    ? [{ rule: 8, reason: 'set_config(): the setting of row-level security is SET LOCAL' }]
    : []
}
