import type { TableUse } from '../sql-rules/table-uses.ts'
import { MODULES, type Tree } from './tree.ts'

/** A numbered migration; it is named for the part that it belongs to: `migrations/0010-billing.sql`. */
const MIGRATION = /^(?:(sandbox)\/)?migrations\/\d+-([a-z]+)([^/]*)\.sql$/
/** What a migration makes that has a name of its own. */
const MADE =
  /\bcreate (?:(?:unlogged )?table |view |(?:unique )?index (?:concurrently )?)(?:if not exists )?([a-z_0-9]+)/gi

/** Tables whose owner is not the part that their migration is named for, with the reason. */
const OTHER_OWNERS = new Map([
  [
    'rate_windows',
    { owner: 'http', reason: 'http counts requests; the migration of kit that creates the table is final' }
  ]
])

/** The part that a numbered migration belongs to; null for another file. */
export function partOfMigration(file: string): string | null {
  const [, sandbox, word, rest] = file.match(MIGRATION) ?? []
  // A module may have a name of two words.
  const module = MODULES.find((name) => name.includes('-') && `${word}${rest}`.startsWith(name))
  return sandbox ?? module ?? word ?? null
}

/**
 * The part that owns each table, view and index: the one that the migration which creates it is named for, unless
 * `OTHER_OWNERS` names another.
 */
export function tableOwners(tree: Tree): Map<string, string> {
  const owners = new Map<string, string>()
  for (const [file, source] of tree) {
    const part = partOfMigration(file)
    if (part === null) continue
    for (const [, name] of source.matchAll(MADE)) owners.set(name!, OTHER_OWNERS.get(name!)?.owner ?? part)
  }
  return owners
}

/** Tables of the sandbox are in a schema of its name. */
export function ownerOf({ schema, table }: TableUse, owners: ReadonlyMap<string, string>): string | undefined {
  if (schema === 'sandbox') return 'sandbox'
  return schema === '' || schema === 'public' ? owners.get(table) : undefined
}
