import { loadModule, parseSync } from 'libpg-query'
import { lineAt } from '../source-tokens.ts'
import { statementsIn } from '../sql-rules/statements.ts'
import { type TableUse, tableUses } from '../sql-rules/table-uses.ts'
import { type Node, nodesOf } from '../sql-rules/tree.ts'
import { type Breach, isTest, moduleOf, order, partOf, type Tree } from './tree.ts'

await loadModule()

/**
 * Reads of tables of a later module that are allowed, each with its reason: the statement's file and the table.
 * A write never has an exception.
 */
const READS_AHEAD: { file: string; tables: readonly string[]; reason: string }[] = [
  {
    file: 'src/kit/postgres/database.ts',
    tables: ['stores'],
    reason: 'a transaction is bound to its store and reads that store’s clock in one round trip'
  },
  {
    file: 'src/members/queries.ts',
    tables: ['member_resources'],
    reason: 'the payload of a member’s events includes the balances of credit and points at that moment'
  }
]

const MIGRATION = /^(?:(sandbox)\/)?migrations\/\d+-([a-z]+)[^/]*\.sql$/
/** What a part of a statement begins with, besides the verbs of whole statements. */
const PART = /^\s*(?:(?:left|right|full|inner|cross)\s+(?:outer\s+)?join|join|from|where|and|or|,|union|exists)\b/i

/** A module may write only its own tables, and read its own and those of modules before it. */
export function tableBreaches(tree: Tree): Breach[] {
  const owners = tableOwners(tree)
  return [...tree].flatMap(([file, source]) => {
    if (file.endsWith('.sql')) return file.endsWith('/schema.sql') ? [] : migrationBreaches(file, source, owners)
    if (!file.endsWith('.ts') || isTest(file)) return []
    return statementsIn(file, source, PART).flatMap(({ text, line, begins }) => {
      const { uses, named } = usesOf(text)
      const problems = uses.flatMap((use) => {
        const owner = ownerOf(use, owners)
        const reason = owner === undefined ? null : problemOf(file, use.table, owner, use.isWrite)
        return reason ? [{ file, line: line + begins + lineAt(text, use.index) - 1, reason }] : []
      })
      const reason = 'names its table by a part put into the text: write it out'
      return named || NAMED_TABLES.has(file) ? problems : [...problems, { file, line, reason }]
    })
  })
}

/** Tables of the sandbox are in a schema of its name. */
function ownerOf({ schema, table }: TableUse, owners: ReadonlyMap<string, string>): string | undefined {
  if (schema === 'sandbox') return 'sandbox'
  return schema === '' || schema === 'public' ? owners.get(table) : undefined
}

/** Files whose statements name their table by a part put into the text, with the reason. */
const NAMED_TABLES = new Map([
  ['src/views/totals/page-with-total.ts', 'reads the view of the list that its caller names'],
  ['sandbox/wire/pages.ts', 'reads the table of the sandbox that its caller names']
])

/** Migrations and functions that change tables of several modules, with the reason. */
const CHANGES_OF_OTHERS = new Map([
  ['migrations/0002-stores.sql', 'kit knows no stores: its tables get their references when stores are made'],
  [
    'migrations/functions/append-order-changes.sql',
    'a trigger of the maintained counts; it also keeps the refunds of orders'
  ],
  ['migrations/functions/rebuild-list.sql', 'the maintained counts, with the marks of what is rolled up'],
  ['migrations/functions/rebuild-metrics.sql', 'the maintained counts, with the marks of what is rolled up']
])

/** Tables whose owner is not the part that their migration is named for, with the reason. */
const OTHER_OWNERS = new Map([
  [
    'rate_windows',
    { owner: 'http', reason: 'http counts requests; the migration of kit that creates the table is final' }
  ]
])

/**
 * The part that owns each table and view: the one that the migration which creates it is named for (`0009-billing.sql`), unless
 * `OTHER_OWNERS` names another.
 */
function tableOwners(tree: Tree): Map<string, string> {
  const owners = new Map<string, string>()
  for (const [file, source] of tree) {
    const owner = file.match(MIGRATION)
    if (!owner) continue
    for (const [, table] of source.matchAll(
      /\bcreate (?:(?:unlogged )?table (?:if not exists )?|view )([a-z_0-9]+)/gi
    )) {
      owners.set(table!, OTHER_OWNERS.get(table!)?.owner ?? owner[1] ?? owner[2]!)
    }
  }
  return owners
}

function problemOf(file: string, table: string, owner: string, isWrite: boolean): string | null {
  const part = partOf(file)
  if (part === owner) return null
  if (part === 'sandbox' || owner === 'sandbox') return `${part} does not know the table ${table} of ${owner}`
  if (isWrite) return `only ${owner} writes the table ${table}`
  if (READS_AHEAD.some((read) => read.file === file && read.tables.includes(table))) return null
  if (moduleOf(file) === null) return `${part} asks a module for rows of ${table}, and reads no tables itself`
  return order(owner) < order(part) ? null : `${part} comes before ${owner}, and does not read its table ${table}`
}

/** A migration that changes tables of another module than its own, and a function that writes those of several. */
function migrationBreaches(file: string, source: string, owners: ReadonlyMap<string, string>): Breach[] {
  if (CHANGES_OF_OTHERS.has(file)) return []
  const statements = (parseSync(source).stmts ?? []).map(({ stmt }) => stmt as Node)
  const own = file.match(MIGRATION)
  const changed = statements.flatMap((statement) => tableUses(statement)).filter(({ isWrite }) => isWrite)
  const others = changed.flatMap((use) => {
    const { table } = use
    const owner = ownerOf(use, owners)
    return own && owner !== undefined && owner !== (own[1] ?? own[2]) ? [`changes the table ${table} of ${owner}`] : []
  })
  const bodies = nodesOf(statements, 'CreateFunctionStmt').flatMap((made) => nodesOf(made.options, 'String'))
  const written = bodies.flatMap(({ sval }) => wordsOf(sval as string).filter(({ isWrite }) => isWrite))
  const writers = [...new Set(written.flatMap(({ table }) => owners.get(table) ?? []))]
  const ofMany =
    writers.length > 1 ? [`a function writes tables of one module, and these are of ${writers.join(' and ')}`] : []
  return [...new Set([...others, ...ofMany])].map((reason) => ({ file, line: 0, reason }))
}

/** The tables that a text uses, and whether it names all of them itself. */
function usesOf(text: string): { uses: TableUse[]; named: boolean } {
  const named = !/\b(?:from|join|update|into|using|truncate|table|only)\s+\$1\d{3}\b/i.test(text)
  try {
    return { uses: tableUses((parseSync(text).stmts ?? []).map(({ stmt }) => stmt)), named }
  } catch {
    return { uses: wordsOf(text), named }
  }
}

/** The tables in a part of a statement, by the words before their names. */
function wordsOf(text: string): TableUse[] {
  const plain = text
    .replace(/'[^']*'/g, '')
    .replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
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
