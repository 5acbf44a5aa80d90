import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSync } from 'libpg-query'
import { type Node, nodesOf } from './tree.ts'

/** What the rules must know of the schema: which tables are spread by store, and what our functions do. */
export type Schema = {
  /** Whether a table is sharded by `store_id`; views of such tables and partitions are. */
  isSharded(table: string): boolean
  /** Our functions, but for those of triggers. */
  functions: ReadonlyMap<string, { isVolatile: boolean; isImmutable: boolean; readsTables: boolean; language: string }>
  /** Statement triggers that see the rows of a whole statement: `record_inserts on members`. */
  transitionTriggers: readonly string[]
}

/** Every store is a row of it, so each machine has a copy of the whole table. */
const REFERENCE_TABLES = new Set(['stores'])

/** Reads the schema from the migrations, which is where tables and functions are made. */
export async function readSchema(root: string): Promise<Schema> {
  const folder = join(root, 'migrations')
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.sql')).sort()
  const texts = await Promise.all(
    files.filter((f) => !f.endsWith('schema.sql')).map((f) => readFile(join(folder, f), 'utf8'))
  )
  return schemaOf(texts)
}

/** The schema that these SQL texts make. */
export function schemaOf(texts: string[]): Schema {
  const statements = texts.flatMap((text) => parseSync(text).stmts ?? []).map(({ stmt }) => stmt as Node)
  const sharded = new Set<string>()
  for (const { CreateStmt } of statements as { CreateStmt?: Node }[]) {
    const name = (CreateStmt?.relation as Node)?.relname as string | undefined
    if (!name || REFERENCE_TABLES.has(name)) continue
    const columns = ((CreateStmt!.tableElts as Node[]) ?? []).map((e) => (e.ColumnDef as Node)?.colname)
    if (columns.includes('store_id')) sharded.add(name)
  }
  for (const { ViewStmt: view } of statements as { ViewStmt?: Node }[]) {
    const reads = nodesOf(view?.query, 'RangeVar').some(({ relname }) => sharded.has(relname as string))
    if (view && reads) sharded.add((view.view as Node).relname as string)
  }
  const functions = new Map<
    string,
    { isVolatile: boolean; isImmutable: boolean; readsTables: boolean; language: string; words: Set<string> }
  >()
  for (const { CreateFunctionStmt: statement } of statements as { CreateFunctionStmt?: Node }[]) {
    if (!statement) continue
    const options = new Map(
      (statement.options as { DefElem: Node }[]).map(({ DefElem: d }) => [d.defname as string, d.arg as Node])
    )
    const returns = nodesOf(statement.returnType as Node, 'String').map((s) => s.sval)
    if (returns.includes('trigger')) continue
    const name = ((statement.funcname as Node[]).at(-1)!.String as Node).sval as string
    const body = nodesOf(options.get('as') ?? {}, 'String')
      .map((s) => s.sval)
      .join('\n')
    const language = ((options.get('language') as Node)?.String as Node)?.sval as string
    const volatility = ((options.get('volatility') as Node)?.String as Node)?.sval ?? 'volatile'
    const words = new Set(body.replaceAll(/'[^']*'/g, '').split(/[^a-z_0-9]+/))
    const readsTables = [...sharded, ...REFERENCE_TABLES].some((table) => words.has(table))
    const [isVolatile, isImmutable] = [volatility === 'volatile', volatility === 'immutable']
    functions.set(name, { isVolatile, isImmutable, readsTables, language, words })
  }
  markCallersOfReaders(functions)
  const transitionTriggers = (statements as { CreateTrigStmt?: Node }[]).flatMap(({ CreateTrigStmt: statement }) =>
    statement?.transitionRels ? `${statement.trigname} on ${(statement.relation as Node).relname}` : []
  )
  // Partitions are made as days come: `webhook_deliveries_20260101`.
  const isSharded = (table: string) => sharded.has(table) || sharded.has(table.replace(/_\d{8}$/, ''))
  return { isSharded, functions, transitionTriggers }
}

/** A function that calls one that reads tables reads them too. */
function markCallersOfReaders(functions: Map<string, { readsTables: boolean; words: Set<string> }>): void {
  for (let hasChanged = true; hasChanged; ) {
    const readers = [...functions].filter(([, { readsTables }]) => readsTables).map(([name]) => name)
    const callers = [...functions.values()].filter(
      ({ readsTables, words }) => !readsTables && readers.some((name) => words.has(name))
    )
    for (const caller of callers) caller.readsTables = true
    hasChanged = callers.length > 0
  }
}
