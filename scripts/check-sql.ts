// Checks the product's statements against the rules for SQL that can be sharded by store (ARCHITECTURE.md): `node scripts/check-sql.ts`.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadModule, parseSync } from 'libpg-query'
import { directStatements } from '#kit/postgres'
import { MODULES } from './import-rules/tree.ts'
import { EXCEPTIONS, MAINTAINED_COUNTS } from './sql-rules/exceptions.ts'
import { problemsOf } from './sql-rules/rules.ts'
import { readSchema, type Schema } from './sql-rules/schema.ts'
import { listStatements, type ProductStatement } from './sql-rules/statements.ts'
import type { Node } from './sql-rules/tree.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** A statement that breaks a rule and is no exception, or an exception that no statement needs. */
export type SqlBreach = { place: string; rule: number; reason: string }

/** What the rules find in these statements, exceptions taken off. */
export function sqlBreaches(statements: ProductStatement[], schema: Schema, exceptions = EXCEPTIONS): SqlBreach[] {
  const used = new Set<string>()
  const breaches = statements.flatMap(({ file, line, owner, text }) =>
    parsed(text, `${file}:${line} ${owner}`)
      .flatMap((statement) => problemsOf(statement, schema))
      .filter(({ rule }) => {
        const index = exceptions.findIndex((e) => e.file === file && e.owner === owner && e.rules.includes(rule))
        if (index >= 0) used.add(`${index} ${rule}`)
        return index < 0
      })
      .map(({ rule, reason }) => ({ place: `${file}:${line} ${owner}`, rule, reason }))
  )
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

function parsed(text: string, place: string): Node[] {
  try {
    return (parseSync(text).stmts ?? []).map(({ stmt }) => stmt as Node)
  } catch (err) {
    throw new Error(`${place}: ${(err as Error).message}`, { cause: err })
  }
}

/** Statements whose text is put together when a module is loaded, which no reading of sources finds. */
async function builtStatements(written: ProductStatement[]): Promise<ProductStatement[]> {
  for (const name of MODULES) {
    const door = `${ROOT}src/${name}/index.ts`
    if (existsSync(door)) await import(door)
  }
  const texts = new Set(written.map(({ text }) => collapsed(text)))
  return [...directStatements]
    .filter(([, text]) => !texts.has(collapsed(text)))
    .map(([name, text]) => ({ file: 'direct statement', line: 0, owner: name, text }))
}

const collapsed = (text: string) => text.replaceAll(/\s+/g, ' ')

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await loadModule()
  const written = await listStatements(ROOT, 'src')
  const breaches = sqlBreaches([...written, ...(await builtStatements(written))], await readSchema(ROOT))
  for (const { place, rule, reason } of breaches) process.stderr.write(`${place}: rule ${rule}: ${reason}\n`)
  process.exitCode = breaches.length > 0 ? 1 : 0
}
