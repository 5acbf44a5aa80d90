import { loadModule, parseSync } from 'libpg-query'
import { lineAt } from '../source-tokens.ts'
import { statementsIn } from '../sql-rules/statements.ts'
import { type TableUse, tableUses, usesInWords } from '../sql-rules/table-uses.ts'
import type { Node } from '../sql-rules/tree.ts'
import { migrationBreaches } from './migrations.ts'
import { callsIn, callsInWords, functionsOf, moduleOfFunction } from './sql-functions.ts'
import { ownerOf, tableOwners } from './table-owners.ts'
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

/** Files whose statements name their table by a part put into the text, with the reason. */
const NAMED_TABLES = new Map<string, string>([
  [
    'src/kit/postgres/erase-store.ts',
    'removes the rows of a deleted store from every table of the catalog: a list by hand would forget one'
  ],
  ['src/views/totals/page-with-total.ts', 'reads the view of the list that its caller names'],
  ...['pages/page-plan', 'pages/plan-cursor-page', 'topics/plan-topic'].map(
    (file) =>
      [
        `src/exports/${file}.ts`,
        'reads the rows that the declarations of endpoints and topics name; exports comes after every module whose tables those are'
      ] as const
  ),
  ['src/backup/tables.ts', 'copies every table of the database and reads every sequence, whichever there are'],
  ['src/backup/restore-backup.ts', 'loads every table of the database, whichever there are'],
  ['sandbox/wire/pages.ts', 'reads the table of the sandbox that its caller names']
])

/** A part of a statement, by what it begins with besides the verbs of whole statements, or by a query in parentheses. */
const PART =
  /^\s*(?:(?:left|right|full|inner|cross)\s+(?:outer\s+)?join|join|from|where|and|or|,|union|exists)\b|\(\s*(?:select|with|table)\b/i

/** A module may write only its own tables, also by calling a function, and read its own and those of modules before it. */
export function tableBreaches(tree: Tree): Breach[] {
  const owners = tableOwners(tree)
  const migrations = [...tree].flatMap(([file, source]): [string, Node[]][] =>
    file.endsWith('.sql') && !file.endsWith('/schema.sql')
      ? [[file, (parseSync(source).stmts ?? []).map(({ stmt }) => stmt as Node)]]
      : []
  )
  const functions = functionsOf(
    migrations.flatMap(([, statements]) => statements),
    owners
  )
  const writers = new Map(functions.filter(({ tables }) => tables.size > 0).map((one) => [one.name, one]))
  const inMigrations = migrations.flatMap(([file, statements]) =>
    migrationBreaches(file, statements, functions, owners)
  )
  const inSources = [...tree].flatMap(([file, source]) => {
    // Texts of pages say "from" of other things than tables.
    if (!file.endsWith('.ts') || isTest(file) || file.startsWith('web/')) return []
    return statementsIn(file, source, PART).flatMap(({ text, line, begins }) => {
      const { uses, calls, named } = usesOf(text)
      const at = (index: number, reason: string) => ({ file, line: line + begins + lineAt(text, index) - 1, reason })
      return [
        ...uses.flatMap((use) => {
          const owner = ownerOf(use, owners)
          const reason = owner === undefined ? null : problemOf(file, use.table, owner, use.isWrite)
          return reason ? [at(use.index, reason)] : []
        }),
        ...calls.flatMap((name) => {
          const writer = writers.get(name)
          const owner = writer && moduleOfFunction(writer, owners)
          if (!writer || owner === partOf(file)) return []
          return [at(0, `only ${owner} calls ${name}(), which writes the table ${[...writer.tables][0]}`)]
        }),
        ...(named || NAMED_TABLES.has(file)
          ? []
          : [{ file, line, reason: 'names its table by a part put into the text: write it out' }])
      ]
    })
  })
  return [...inMigrations, ...inSources]
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

/** The tables that a text uses and the functions that it calls, and whether it names all of its tables itself. */
function usesOf(text: string): { uses: TableUse[]; calls: string[]; named: boolean } {
  const named = !/\b(?:from|join|update|into|using|truncate|table|only)\s+\$1\d{3}\b/i.test(text)
  try {
    const statements = (parseSync(text).stmts ?? []).map(({ stmt }) => stmt)
    return { uses: tableUses(statements), calls: callsIn(statements), named }
  } catch {
    return { uses: usesInWords(text), calls: callsInWords(text), named }
  }
}
