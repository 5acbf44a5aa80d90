import { type Breach, isTest, lineAt, MODULES, moduleOf, partOf, type Tree } from './tree.ts'

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

/** A module may write only its own tables, and read its own and those of modules before it. */
export function tableBreaches(tree: Tree): Breach[] {
  const owners = tableOwners(tree)
  return [...tree].flatMap(([file, source]) => {
    if (!file.endsWith('.ts') || isTest(file)) return []
    return statementsOf(source).flatMap(({ text, index }) =>
      usesOf(text).flatMap(({ table, isWrite, offset }) => {
        const owner = owners.get(table)
        const problem = owner === undefined ? null : problemOf(file, table, owner, isWrite)
        return problem ? [{ file, line: lineAt(source, index + offset), reason: problem }] : []
      })
    )
  })
}

/** The part that owns each table and view: the one that the migration which creates it is named for (`0009-billing.sql`). */
function tableOwners(tree: Tree): Map<string, string> {
  const owners = new Map<string, string>()
  for (const [file, source] of tree) {
    const owner = file.match(/^(?:(sandbox)\/)?migrations\/\d+-([a-z]+)[^/]*\.sql$/)
    if (!owner) continue
    for (const [, table] of source.matchAll(
      /\bcreate (?:(?:unlogged )?table (?:if not exists )?|view )([a-z_0-9]+)/gi
    )) {
      owners.set(table!, owner[1] ?? owner[2]!)
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
  const [own, theirs] = [part, owner].map((name) => (MODULES as readonly string[]).indexOf(name)) as [number, number]
  if (moduleOf(file) === null) return `${part} asks a module for rows of ${table}, and reads no tables itself`
  return theirs < own ? null : `${part} comes before ${owner}, and does not read its table ${table}`
}

/** The SQL texts in a source: the template strings that begin with a verb of SQL. */
function statementsOf(source: string): { text: string; index: number }[] {
  return [...source.matchAll(/`((?:[^`\\]|\\.)*)`/g)]
    .filter(([, text]) => /^\s*(select|with|insert|update|delete|merge|truncate|copy|lock)\b/i.test(text!))
    .map((match) => ({ text: match[1]!, index: match.index + 1 }))
}

function usesOf(text: string): { table: string; isWrite: boolean; offset: number }[] {
  // Blanked text keeps its length, so that offsets stay valid.
  const blank = (part: string) => ' '.repeat(part.length)
  const plain = text
    .replace(/'[^']*'/g, blank)
    .replace(/--[^\n]*/g, blank)
    .replace(/\bfor\s+(no key )?update\b/gi, blank)
    .replace(/\bextract\s*\([a-z]+\s+from\b|\bdistinct from\b/gi, blank)
    .replace(/\bdo\s+update\s+set\b/gi, blank)
  return [
    ...plain.matchAll(
      /\b(insert\s+into|update|delete\s+from|truncate|from|join|using)\s+(?:only\s+)?([a-z_][a-z_0-9]*)/gi
    )
  ].map((match) => ({
    table: match[2]!,
    isWrite: /insert|update|delete|truncate/i.test(match[1]!),
    offset: match.index
  }))
}
