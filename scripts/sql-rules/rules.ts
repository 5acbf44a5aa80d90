import { readFileSync } from 'node:fs'
import { MAINTAINED_COUNTS } from './exceptions.ts'
import { joinedStoresOf, type Level, levelsOf, type Relation, storesOf } from './levels.ts'
import type { Schema } from './schema.ts'
import { functionName, type Node, nodesOf, tableName, withoutCasts } from './tree.ts'

/** What a rule finds wrong with a statement. Rules are numbered as ARCHITECTURE.md lists them. */
export type Problem = { rule: 1 | 2 | 3 | 4 | 5 | 7 | 8 | 9; reason: string }

/**
 * What the rules know of a statement besides its tree: what its parameters are given, and as what it is declared over many
 * stores.
 */
export type Use = { parameters: readonly string[]; isAcross: boolean; isRelease?: boolean }

/** Volatile functions: PostgreSQL's own, as it lists them, and one of an extension. */
const VOLATILE = new Set([
  ...readFileSync(new URL('volatile-built-ins.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#')),
  'gen_random_bytes'
])
const TIMES = new Set(['now', 'statement_timestamp', 'transaction_timestamp'])
/** `current_timestamp` and its like, which the grammar knows by a name of their own. */
const NAMED_TIMES = /^SVFOP_(CURRENT_DATE|(CURRENT|LOCAL)_?(TIME|TIMESTAMP)(_N)?|LOCALTIME(STAMP)?(_N)?)$/
/** Functions and columns of transaction ids and snapshots, which each machine has its own of. */
const SNAPSHOT_FUNCTIONS = /^(pg_current_(xact_id|snapshot)|txid_|pg_(snapshot|visible_in_snapshot|xact)_?)/
const SNAPSHOT_COLUMNS = new Set(['xmin', 'xmax', 'cmin', 'cmax', 'ctid'])
/** Statements that name no table of ours; `set` and `do` have rules of their own. */
const OTHER_KINDS = new Set([
  'TransactionStmt',
  'NotifyStmt',
  'ListenStmt',
  'UnlistenStmt',
  'DeallocateStmt',
  'VariableSetStmt'
])
const QUERIES = new Set(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'])

/** Everything that keeps a parsed statement from running where stores are spread over machines. */
export function problemsOf(statement: Node, schema: Schema, use: Use = { parameters: [], isAcross: false }): Problem[] {
  const levels = levelsOf(statement)
  const problems = [
    ...kindProblems(statement),
    ...(use.isRelease
      ? releaseProblems(statement)
      : use.isAcross
        ? acrossProblems(statement, levels, schema)
        : storeProblems(levels, schema, use)),
    ...levels.flatMap((level) => volatileFunctions(level, schema)),
    ...levels.flatMap((level) => insertsOfRows(level, schema)),
    ...functionsThatRead(statement, schema),
    ...snapshots(statement),
    ...settings(statement)
  ]
  const seen = new Set<string>()
  return problems.filter(({ rule, reason }) => !seen.has(`${rule} ${reason}`) && seen.add(`${rule} ${reason}`))
}

/** Rule 8: the message that sets the store has nothing else in it. `statements` are those of one message. */
export function messageProblems(statements: Node[]): Problem[] {
  const setsStore = statements.some(({ VariableSetStmt: set }) =>
    /store_id/.test(((set as Node)?.name as string) ?? '')
  )
  return setsStore && statements.length > 1
    ? [{ rule: 8, reason: 'the store is set beside other statements: it is alone in its message' }]
    : []
}

/** Rule 9: what is neither a query nor a change of rows. */
function kindProblems(statement: Node): Problem[] {
  const [kind] = Object.keys(statement) as [string]
  if (QUERIES.has(kind) || OTHER_KINDS.has(kind)) return []
  return [{ rule: 9, reason: `${kind.replace(/Stmt$/, '')}: neither a plain read nor a plain change of rows` }]
}

/** Rule 9: a declared read over many stores reads, locks nothing, and joins within a store only. */
function acrossProblems(statement: Node, levels: Level[], { isSharded }: Schema): Problem[] {
  const isRead = 'SelectStmt' in statement && levels.every(({ kind, node }) => kind === 'select' && !node.lockingClause)
  const sources = ['RangeVar', 'RangeFunction', 'RangeSubselect'].flatMap((kind) => nodesOf(statement, kind))
  const apart = sources.length === 1 ? [] : levels.flatMap((level) => apartIn(level, isSharded))
  return [
    ...(isRead ? [] : [{ rule: 9, reason: 'a statement over many stores only reads, and locks nothing' } as const]),
    ...apart.map((one): Problem => ({ rule: 9, reason: `${nameOf(one)} is not joined by its store_id` }))
  ]
}

/** The relations of a level that no `a.store_id = b.store_id` joins to what is not a sharded table of this level. */
function apartIn(level: Level, isSharded: Schema['isSharded']): Relation[] {
  const sharded = level.relations.filter(({ table }) => isSharded(table))
  const apart = new Set(sharded)
  const isReached = (relation: Relation) =>
    joinedStoresOf(level, relation).some((alias) => ![...apart].some((one) => one.alias === alias))
  for (let found: Relation[] = sharded; found.length > 0; ) {
    found = [...apart].filter(isReached)
    for (const one of found) apart.delete(one)
  }
  return [...apart]
}

/**
 * Rule 9: what releases leases of dead nodes ends them by their owner in one table, perhaps only where a column is null or is
 * not, and does nothing else.
 */
function releaseProblems(statement: Node): Problem[] {
  const { relation, targetList, whereClause, ...others } = (statement.UpdateStmt ?? {}) as Node
  const set = ((targetList as { ResTarget: Node }[]) ?? []).map(({ ResTarget: target }) => target)
  const isEnd = set.every(
    ({ name, val }) => /^lease(_owner|d_until)$/.test(name as string) && ((val as Node).A_Const as Node)?.isnull
  )
  const { boolop, args } = ((whereClause as Node)?.BoolExpr ?? {}) as Node
  const conditions = (boolop === 'AND_EXPR' ? args : [whereClause]) as Node[]
  const [owners, ...rest] = conditions.filter((one) => !one?.NullTest)
  const { kind, lexpr, rexpr } = (owners?.A_Expr ?? {}) as Node
  const isOfOwners =
    rest.length === 0 &&
    kind === 'AEXPR_OP_ANY' &&
    nodesOf(lexpr, 'String')[0]?.sval === 'lease_owner' &&
    withoutCasts(rexpr as Node)?.ParamRef !== undefined
  return relation && isEnd && isOfOwners && !('fromClause' in others || 'withClause' in others)
    ? []
    : [{ rule: 9, reason: 'a release of leases only ends those of the owners that it is given, in one table' }]
}

/** Rules 1 and 5, and 9 where a statement over all stores is more than a plain read or change. */
function storeProblems(levels: Level[], schema: Schema, use: Use): Problem[] {
  const stores = new Set<string>()
  const problems = levels.flatMap((level) => unboundRelations(level, schema, use, stores))
  const isOverStores = problems.some(({ rule }) => rule === 1) && stores.size === 0
  const reads = levels.filter(({ relations }) => relations.some(({ table }) => schema.isSharded(table)))
  const isPlain = reads.length <= 1 && reads.every(({ relations, kind }) => kind === 'select' || relations.length === 1)
  return [
    ...problems,
    ...[...stores]
      .filter((name) => !/^\$\d+$|store/i.test(name))
      .map(
        (name): Problem => ({ rule: 1, reason: `store_id is given ${name}, which does not say that it is a store` })
      ),
    ...(stores.size > 1
      ? [{ rule: 1, reason: `names more than one store: ${[...stores].join(' and ')}` } as const]
      : []),
    ...(isOverStores && !isPlain
      ? [{ rule: 9, reason: 'over all stores, and neither one plain read nor a plain change of one table' } as const]
      : [])
  ]
}

/** Adds to `stores` what names the store of each relation. */
function unboundRelations(level: Level, { isSharded }: Schema, { parameters }: Use, stores: Set<string>): Problem[] {
  const given = (n: number) => parameters[n - 1] ?? `$${n}`
  const unbound = level.relations
    .filter(({ table }) => isSharded(table))
    .filter((relation) => {
      const found = storesOf(level, relation)
      for (const n of found) stores.add(given(n))
      return found.length === 0
    })
  const locked = lockedNames(level.node)
  const isLocked = ({ alias }: Relation) => locked === 'all' || locked.includes(alias)
  const everyStore = level.relations
    .filter(({ table }) => table === 'stores')
    .filter((one) => storesOf(level, one).length === 0)
  const changesAll =
    (level.kind === 'update' || level.kind === 'delete') && everyStore.some(({ table }) => table === targetOf(level))
  return [
    ...unbound.map((one): Problem => ({ rule: 1, reason: `${nameOf(one)} has no store_id = $n of its own` })),
    ...[...unbound, ...everyStore]
      .filter(isLocked)
      .map((one): Problem => ({ rule: 5, reason: `${nameOf(one)} is locked for more than one store` })),
    ...(changesAll ? [{ rule: 9, reason: `a ${level.kind} of every row of stores` } as const] : []),
    ...(level.kind === 'insert' ? insertedStore(level.node, isSharded, (n) => stores.add(given(n))) : [])
  ]
}

const nameOf = ({ table, alias }: Relation) => (table === alias ? table : `${table} ${alias}`)

const targetOf = ({ node }: Level) => tableName(node.relation as Node)

/** The relations that `for update of …` names; all of the level where it names none. */
function lockedNames(node: Node): string[] | 'all' {
  const clauses = ((node.lockingClause as { LockingClause: Node }[]) ?? []).map((clause) => clause.LockingClause)
  if (clauses.some(({ lockedRels }) => lockedRels === undefined)) return 'all'
  return clauses.flatMap(({ lockedRels }) =>
    (lockedRels as { RangeVar: Node }[]).map((rel) => rel.RangeVar.relname as string)
  )
}

function insertedStore(node: Node, isSharded: Schema['isSharded'], add: (n: number) => void): Problem[] {
  const table = tableName(node.relation as Node)
  if (!isSharded(table)) return []
  const columns = ((node.cols as { ResTarget: Node }[]) ?? []).map(({ ResTarget: column }) => column.name)
  const at = columns.indexOf('store_id')
  const values = rowsOf((node.selectStmt as Node)?.SelectStmt as Node | undefined).map((row) => withoutCasts(row[at]))
  const isParameter = at >= 0 && values.length > 0 && values.every((value) => value?.ParamRef)
  if (isParameter) for (const value of values) add((value!.ParamRef as Node).number as number)
  return isParameter ? [] : [{ rule: 1, reason: `${table} is written without store_id as a parameter` }]
}

/** The values of each row that a query of VALUES or SELECT gives, those of all branches of UNION. */
function rowsOf(select: Node | undefined): Node[][] {
  if (!select) return []
  if (select.larg) return [...rowsOf(select.larg as Node), ...rowsOf(select.rarg as Node)]
  if (select.valuesLists) return (select.valuesLists as { List: Node }[]).map(({ List: row }) => row.items as Node[])
  return [((select.targetList as { ResTarget: Node }[]) ?? []).map(({ ResTarget: target }) => target.val as Node)]
}

/** Rule 2. */
function volatileFunctions({ kind, node }: Level, { functions }: Schema): Problem[] {
  const isVolatile = (name: string) => VOLATILE.has(name) || functions.get(name)?.isVolatile === true
  const conflict = node.onConflictClause as Node | undefined
  const changed = kind === 'insert' ? conflict : kind === 'select' ? undefined : node
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
    ...[
      ...calls(inBranches)
        .filter((name) => TIMES.has(name) || functions.get(name)?.isImmutable === false)
        .map((name) => `${name}()`),
      ...namedTimes(inBranches)
    ].map((name): Problem => ({ rule: 2, reason: `${name} in CASE, COALESCE or DO UPDATE: give a parameter` }))
  ]
}

/** `current_timestamp` and its like, and `'now'::timestamptz`. */
function namedTimes(below: unknown): string[] {
  const values = nodesOf(below, 'SQLValueFunction').map(({ op }) => op as string)
  const casts = nodesOf(below, 'TypeCast').map(
    (cast) => ((cast.arg as Node)?.A_Const as Node)?.sval as Node | undefined
  )
  return [
    ...values.filter((op) => NAMED_TIMES.test(op)).map((op) => op.slice('SVFOP_'.length).toLowerCase()),
    ...casts.flatMap((text) =>
      /^(now|today|tomorrow|yesterday)$/i.test((text?.sval as string) ?? '') ? [`'${text!.sval}'`] : []
    )
  ]
}

/** Rule 3. */
function insertsOfRows({ kind, node }: Level, schema: Schema): Problem[] {
  const select = (node.selectStmt as Node)?.SelectStmt as Node | undefined
  if (kind !== 'insert' || !select) return []
  const table = tableName(node.relation as Node)
  if (!schema.isSharded(table)) return []
  const isAnswered =
    node.onConflictClause !== undefined || node.returningClause !== undefined || node.returningList !== undefined
  return [
    ...(isAnswered || select.valuesLists
      ? []
      : [{ rule: 3, reason: `insert … select into ${table} has neither ON CONFLICT nor RETURNING` } as const]),
    ...readsOutsideOffset(select, schema).map(
      (read): Problem => ({ rule: 3, reason: `insert … select reads ${read} outside a subselect with offset 0` })
    )
  ]
}

/** The tables that are read below a node, but for those in a subselect that says `offset 0`. */
function readsOutsideOffset(below: unknown, { isSharded }: Schema): string[] {
  if (Array.isArray(below)) return below.flatMap((one) => readsOutsideOffset(one, { isSharded } as Schema))
  if (typeof below !== 'object' || below === null) return []
  return Object.entries(below).flatMap(([name, value]) => {
    if (name === 'RangeVar') return isSharded(tableName(value as Node)) ? [tableName(value as Node)] : []
    const query =
      name === 'RangeSubselect' ? (value as Node).subquery : name === 'SubLink' ? (value as Node).subselect : undefined
    const subselect = (query as Node)?.SelectStmt
    if (subselect && hasOffsetZero(subselect as Node)) return []
    return readsOutsideOffset(value, { isSharded } as Schema)
  })
}

function hasOffsetZero(select: Node): boolean {
  const constant = (select.limitOffset as Node)?.A_Const as Node | undefined
  return constant !== undefined && ((constant.ival as Node)?.ival ?? 0) === 0 && 'ival' in constant
}

/** Rule 4. */
function functionsThatRead(statement: Node, { functions }: Schema): Problem[] {
  const calls = nodesOf(statement, 'FuncCall').filter((call) => {
    const name = functionName(call)
    return functions.get(name)?.readsTables && !MAINTAINED_COUNTS.functions.has(name)
  })
  return calls.flatMap((call): Problem[] => {
    const name = functionName(call)
    const [first] = (call.args as Node[]) ?? []
    return [
      ...(isCalledAlone(statement, call)
        ? []
        : [{ rule: 4, reason: `${name}() reads tables: it is called alone, by select ${name}(…)` } as const]),
      ...(withoutCasts(first)?.ParamRef
        ? []
        : [{ rule: 4, reason: `${name}() reads tables: its first argument is the store, a parameter` } as const]),
      ...(functions.get(name)!.language === 'plpgsql'
        ? []
        : [{ rule: 4, reason: `${name}() reads tables and is not plpgsql` } as const])
    ]
  })
}

/** Whether the statement is `select f(…)`, perhaps with a name for the result, and nothing else. */
function isCalledAlone(statement: Node, call: Node): boolean {
  const select = statement.SelectStmt as Node | undefined
  const targets = (select?.targetList as { ResTarget: Node }[]) ?? []
  const others = Object.entries(select ?? {}).filter(
    ([name, value]) => typeof value === 'object' && name !== 'targetList'
  )
  return targets.length === 1 && (targets[0]!.ResTarget.val as Node)?.FuncCall === call && others.length === 0
}

/** Rule 7. */
function snapshots(statement: Node): Problem[] {
  const columns = nodesOf(statement, 'ColumnRef').map(
    (column) => ((column.fields as Node[]).at(-1)!.String as Node)?.sval as string | undefined
  )
  return [
    ...nodesOf(statement, 'FuncCall')
      .map(functionName)
      .filter((name) => SNAPSHOT_FUNCTIONS.test(name))
      .map((name) => `${name}()`),
    ...columns.filter((name) => name !== undefined && SNAPSHOT_COLUMNS.has(name))
  ].map((name): Problem => ({ rule: 7, reason: `${name}: each machine has its own transaction ids and snapshots` }))
}

/** Rule 8. */
function settings(statement: Node): Problem[] {
  const set = statement.VariableSetStmt as Node | undefined
  const isStore = /store_id/.test((set?.name as string) ?? '')
  return [
    ...(nodesOf(statement, 'FuncCall').some((call) => functionName(call) === 'set_config')
      ? [{ rule: 8, reason: 'set_config(): the setting of row-level security is SET LOCAL' } as const]
      : []),
    ...(isStore && !set!.is_local
      ? [{ rule: 8, reason: 'the store is set without LOCAL, and stays set for the next transaction' } as const]
      : [])
  ]
}
