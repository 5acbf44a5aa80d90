// Enforces the rules of ARCHITECTURE.md, "Who may import whom": `node scripts/check-imports.ts`.
import { fileURLToPath } from 'node:url'
import { importBreaches } from './import-rules/allowed-imports.ts'
import { cycleBreaches, folderBreaches } from './import-rules/cycles.ts'
import { doorBreaches } from './import-rules/doors.ts'
import { portableBreaches } from './import-rules/portable.ts'
import { sizeBreaches } from './import-rules/sizes.ts'
import { tableBreaches } from './import-rules/tables.ts'
import { type Breach, readTree, type Tree } from './import-rules/tree.ts'

const RULES = [
  importBreaches,
  cycleBreaches,
  folderBreaches,
  doorBreaches,
  portableBreaches,
  tableBreaches,
  sizeBreaches
]

/** Everything in the tree that a rule forbids, rule by rule. */
export function breachesOf(tree: Tree): Breach[] {
  return RULES.flatMap((rule) => rule(tree))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const breaches = breachesOf(await readTree(fileURLToPath(new URL('..', import.meta.url))))
  for (const { file, line, reason } of breaches) {
    process.stderr.write(`${line > 0 ? `${file}:${line}` : file} ${reason}\n`)
  }
  process.exitCode = breaches.length > 0 ? 1 : 0
}
