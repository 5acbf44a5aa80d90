// Checks the product's statements against the rules for SQL that can be sharded by store (ARCHITECTURE.md): `node
// scripts/check-sql.ts`.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadModule, parseSync } from 'libpg-query'
import { dueQueries } from '#kit/engines'
import { directStatements, statementsAcrossStores } from '#kit/postgres'
import { MODULES } from './import-rules/tree.ts'
import { collectedStatements } from './sql-rules/collected.ts'
import { EXCEPTIONS, MAINTAINED_COUNTS, RAN_EXCEPTIONS, READS_OVER_STORES } from './sql-rules/exceptions.ts'
import { messageProblems, problemsOf } from './sql-rules/rules.ts'
import { readSchema, type Schema } from './sql-rules/schema.ts'
import { listStatements, type ProductStatement } from './sql-rules/statements.ts'
import type { Node } from './sql-rules/tree.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** A statement that breaks a rule and is no exception, or an exception that no statement needs. */
export type SqlBreach = { place: string; rule: number; reason: string }

/** What the rules find in these statements, exceptions taken off. */
export function sqlBreaches(statements: ProductStatement[], schema: Schema, exceptions = EXCEPTIONS): SqlBreach[] {
  const used = new Set<string>()
  const breaches = statements.flatMap(({ file, line, owner, text, isProse, ...use }) => {
    const message = isProse && !parses(text) ? [] : parsed(text, `${file}:${line} ${owner}`)
    return [...messageProblems(message), ...message.flatMap((statement) => problemsOf(statement, schema, use))]
      .filter(({ rule }) => {
        const index = exceptions.findIndex((e) => e.file === file && e.owner === owner && e.rules.includes(rule))
        if (index >= 0) used.add(`${index} ${rule}`)
        return index < 0
      })
      .map(({ rule, reason }) => ({ place: `${file}:${line} ${owner}`, rule, reason }))
  })
  const unused = exceptions.flatMap(({ file, owner, rules }, i) =>
    rules
      .filter((rule) => !used.has(`${i} ${rule}`))
      .map((rule) => ({
        place: `${file} ${owner}`,
        rule,
        reason: 'is listed as an exception, which no statement needs'
      }))
  )
  return [...breaches, ...unused, ...triggerBreaches(schema)]
}

function triggerBreaches({ transitionTriggers }: Schema): SqlBreach[] {
  const reason = 'a statement trigger with transition tables: the application writes what it would write'
  return transitionTriggers
    .filter((trigger) => !MAINTAINED_COUNTS.triggers.has(trigger))
    .map((trigger) => ({ place: trigger, rule: 7, reason }))
}

function parses(text: string): boolean {
  try {
    return parseSync(text).stmts !== undefined
  } catch {
    return false
  }
}

function parsed(text: string, place: string): Node[] {
  try {
    return (parseSync(text).stmts ?? []).map(({ stmt }) => stmt as Node)
  } catch (err) {
    throw new Error(`${place}: ${(err as Error).message}`, { cause: err })
  }
}

/**
 * The registered statements as they run: their texts may be put together when a module is loaded, which no reading of sources
 * finds.
 */
async function registeredStatements(): Promise<ProductStatement[]> {
  for (const name of MODULES) {
    const door = `${ROOT}src/${name}/index.ts`
    if (existsSync(door)) await import(door)
  }
  // Engines are behind the doors; this is their list.
  await import('../src/app/engines.ts')
  const of = (registry: Map<string, string>, isAcross: boolean) =>
    [...registry].map(([name, text]) => ({
      file: 'registered',
      line: 0,
      begins: 0,
      owner: name,
      text,
      parameters: [],
      isAcross
    }))
  return [...of(directStatements, false), ...of(statementsAcrossStores, true)]
}

/** Reads over many stores that are neither due queries nor listed, and listed ones that are no more. */
function unlistedReads(): SqlBreach[] {
  const names = [...statementsAcrossStores.keys()].filter((name) => !dueQueries.has(name))
  const breach = (reason: string) => (place: string) => ({ place, rule: 9, reason })
  return [
    ...names.filter((name) => !READS_OVER_STORES.has(name)).map(breach('reads many stores, and is not listed')),
    ...[...READS_OVER_STORES.keys()].filter((name) => !names.includes(name)).map(breach('is listed, and no statement'))
  ]
}

/** The same of the statements that ran in a whole run of the tests, and that no reading of sources finds. */
export async function collectedBreaches(directory: string): Promise<SqlBreach[]> {
  await loadModule()
  const known = [...(await listStatements(ROOT, 'src')), ...(await registeredStatements())]
  const ran = await collectedStatements(ROOT, directory, known)
  return sqlBreaches(ran, await readSchema(ROOT), RAN_EXCEPTIONS)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await loadModule()
  const statements = [...(await listStatements(ROOT, 'src')), ...(await registeredStatements())]
  const breaches = [...sqlBreaches(statements, await readSchema(ROOT)), ...unlistedReads()]
  for (const { place, rule, reason } of breaches) process.stderr.write(`${place}: rule ${rule}: ${reason}\n`)
  process.exitCode = breaches.length > 0 ? 1 : 0
}
