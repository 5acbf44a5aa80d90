import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

/**
 * A folder of numbered migrations (`0001-name.sql`) with functions in `functions/*.sql`. The database records its applied files
 * under `name`.
 */
export type MigrationSet = { name: string; directory: URL }

/** A file that the database has applied. `oldestCode` is 0 for functions. */
export type Applied = { name: string; hash: string; oldestCode: number }

type File = { name: string; text: string; hash: string }

/** A migration to apply. Code whose own newest migration has the number `oldestCode` or a higher one can run after it. */
type Migration = File & { oldestCode: number }

/** The work to do: migrations in order, functions whose text has changed, and names of functions without a file. */
export type SetPlan = { set: string; migrations: Migration[]; functions: File[]; removed: string[] }

const NUMBERED = /^(\d{4})-[a-z0-9-]+\.sql$/
const FUNCTIONS = 'functions/'

/**
 * This first line declares that older code can run on the new schema: every version that has the migration with that number.
 * Without it, only code that has the migration itself can run.
 */
const EXPAND = /^-- expand: code from (\d{4})\b/

/**
 * Compares a folder with the files that the database has applied. Throws with the reason if this version of the code cannot run
 * on the database. `through` names the last migration to apply; then no function is planned.
 */
export async function planMigration(
  set: MigrationSet,
  applied: readonly Applied[],
  through?: string
): Promise<SetPlan> {
  const names = await readdir(set.directory)
  const numbered = names.filter((name) => NUMBERED.test(name)).sort()
  const has = new Map(applied.map((row) => [row.name, row]))
  const waiting = numbered.filter((name) => !has.has(name))
  const newer = applied.filter(({ name }) => NUMBERED.test(name) && !numbered.includes(name))
  if (newer.length > 0) {
    refuseNewer(newer, numbered, waiting)
    return { set: set.name, migrations: [], functions: [], removed: [] }
  }
  const files = await Promise.all(numbered.map((name) => readSql(set, name)))
  const changed = files.filter(({ name, hash }) => has.get(name) && has.get(name)!.hash !== hash)
  if (changed.length > 0) {
    throw new Error(
      `This database applied a different text of ${changed.map(({ name }) => name).join(', ')} than this version has. An ` +
        'applied migration must not be changed; if the database has no data to keep, drop it and start again'
    )
  }
  const planned = files.filter(({ name }) => waiting.includes(name))
  if (through !== undefined) {
    const migrations = planned.filter(({ name }) => name <= through)
    return { set: set.name, migrations: migrations.map(withOldestCode), functions: [], removed: [] }
  }
  const functions = await Promise.all(
    (names.includes('functions') ? await readdir(new URL(FUNCTIONS, set.directory)) : [])
      .filter((name) => name.endsWith('.sql'))
      .sort()
      .map((name) => readSql(set, `${FUNCTIONS}${name}`))
  )
  return {
    set: set.name,
    migrations: planned.map(withOldestCode),
    functions: functions.filter(({ name, hash }) => has.get(name)?.hash !== hash),
    removed: applied
      .map(({ name }) => name)
      .filter((name) => name.startsWith(FUNCTIONS) && !functions.some((file) => file.name === name))
  }
}

function refuseNewer(newer: readonly Applied[], own: readonly string[], waiting: readonly string[]): void {
  const list = newer.map(({ name }) => name).join(', ')
  const version = Math.max(0, ...own.map(numberOf))
  if (version < Math.max(...newer.map(({ oldestCode }) => oldestCode))) {
    throw new Error(`A newer version of Perennial migrated the database (${list}), and this one cannot run on it`)
  }
  if (waiting.length > 0) {
    throw new Error(
      `The database has migrations that this version does not have (${list}), and lacks migrations that it has ` +
        `(${waiting.join(', ')}): it was migrated by a version that is not a later version of this one`
    )
  }
}

async function readSql(set: MigrationSet, name: string): Promise<File> {
  const text = await readFile(new URL(name, set.directory), 'utf8')
  return { name, text, hash: createHash('sha256').update(statementsOf(text)).digest('hex') }
}

/** The text without whole-line comments and blank lines, so that changing a comment does not change the migration. */
function statementsOf(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !line.trimStart().startsWith('--'))
    .join('\n')
}

function withOldestCode(file: File): Migration {
  return { ...file, oldestCode: Number(EXPAND.exec(file.text)?.[1] ?? numberOf(file.name)) }
}

function numberOf(name: string): number {
  return Number(NUMBERED.exec(name)![1])
}
