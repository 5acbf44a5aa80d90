import { usesInWords } from '../sql-rules/table-uses.ts'
import { functionName, type Node, nodesOf } from '../sql-rules/tree.ts'

/** A function that migrations make. Its tables are those that it writes, itself or by what it calls. */
export type SqlFunction = { name: string; writesItself: string[]; tables: Set<string> }

/** Statements in a body that make, change or remove tables whose names are put into the text. */
const PUTS_TABLES_TOGETHER = /\bexecute\s+(format\s*\()?\s*'\s*(create|alter|drop|truncate)\b/i

/** The functions that these statements make, and which tables of `owners` each writes. */
export function functionsOf(statements: Node[], owners: ReadonlyMap<string, string>): SqlFunction[] {
  const made = nodesOf(statements, 'CreateFunctionStmt').map((statement) => {
    const body = nodesOf(statement.options, 'String')
      .map(({ sval }) => sval as string)
      .join('\n')
    const writesItself = usesInWords(body)
      .filter(({ isWrite, table }) => isWrite && owners.has(table))
      .map(({ table }) => table)
    if (PUTS_TABLES_TOGETHER.test(body)) {
      writesItself.push(...body.split(/[^a-z_0-9]+/).filter((word) => owners.has(word)))
    }
    return { name: functionName(statement), writesItself, tables: new Set(writesItself), calls: callsInWords(body) }
  })
  for (let before = -1, known = 0; before !== known; ) {
    before = known
    for (const { tables, calls } of made) {
      const called = made.filter(({ name }) => calls.includes(name))
      for (const one of called) for (const table of one.tables) tables.add(table)
    }
    known = made.reduce((sum, { tables }) => sum + tables.size, 0)
  }
  return made
}

/** The module that a function belongs to: the one whose tables it writes. Marks that it keeps in tables of kit do not count. */
export function moduleOfFunction({ tables }: SqlFunction, owners: ReadonlyMap<string, string>): string | undefined {
  const modules = [...tables].map((table) => owners.get(table)!)
  return modules.find((name) => name !== 'kit') ?? modules[0]
}

/** The functions that parsed statements call. */
export function callsIn(statements: unknown): string[] {
  return [...nodesOf(statements, 'FuncCall'), ...nodesOf(statements, 'funccall')].map(functionName)
}

/** The same of a text that is only a part of a statement. */
export function callsInWords(text: string): string[] {
  return [...text.matchAll(/\b([a-z_][a-z_0-9]*)\s*\(/gi)].map(([, name]) => name!.toLowerCase())
}
