import { MAINTAINED_COUNTS } from '../sql-rules/exceptions.ts'
import { tableUses } from '../sql-rules/table-uses.ts'
import { functionName, type Node, nodesOf } from '../sql-rules/tree.ts'
import { callsIn, moduleOfFunction, type SqlFunction } from './sql-functions.ts'
import { ownerOf, partOfMigration } from './table-owners.ts'
import { type Breach, order } from './tree.ts'

/** Migrations and functions that change tables of several modules, with the reason. */
const CHANGES_OF_OTHERS = new Map([
  ['migrations/0002-stores.sql', 'kit knows no stores: its tables get their references when stores are made'],
  [
    'migrations/functions/append-order-changes.sql',
    'a trigger of the maintained counts; it also keeps the refunds of orders'
  ],
  ['migrations/functions/rebuild-list.sql', 'the maintained counts, with the marks of what is rolled up'],
  ['migrations/functions/rebuild-metrics.sql', 'the maintained counts, with the marks of what is rolled up'],
  ['migrations/functions/refuse-truncate.sql', 'the maintained counts: no trigger would see a truncate'],
  ['migrations/functions/set-plan.sql', 'the maintained counts: ledgers and attempts keep the plan of their time']
])

/**
 * What a file of `migrations/` must not do. A numbered one changes only tables of its own module (also by an index, a trigger,
 * a policy or a function), and reads or references its own and those of modules before it. A file of functions changes
 * tables of one module.
 */
export function migrationBreaches(
  file: string,
  statements: Node[],
  functions: readonly SqlFunction[],
  owners: ReadonlyMap<string, string>
): Breach[] {
  if (CHANGES_OF_OTHERS.has(file)) return []
  const uses = tableUses(statements.filter((one) => !isMaintained(one))).flatMap((use) => {
    const owner = ownerOf(use, owners)
    return owner === undefined ? [] : [{ ...use, owner }]
  })
  const writers = new Map(functions.filter(({ tables }) => tables.size > 0).map((one) => [one.name, one]))
  const made = nodesOf(statements, 'CreateFunctionStmt').flatMap((one) => writers.get(functionName(one)) ?? [])
  const changes = [
    ...uses.filter(({ isWrite }) => isWrite).map(({ table, owner }) => ({ what: `changes the table ${table}`, owner })),
    ...made.flatMap((one) =>
      [...one.tables]
        // What is reached by a call of kit is kit's affair, as in the code.
        .filter((table) => one.writesItself.includes(table) || owners.get(table) !== 'kit')
        .map((table) => ({ what: `changes the table ${table}`, owner: owners.get(table)! }))
    ),
    ...callsIn(statements).flatMap((name) => {
      const writer = writers.get(name)
      return writer ? [{ what: `calls ${name}()`, owner: moduleOfFunction(writer, owners)! }] : []
    })
  ]
  const part = partOfMigration(file)
  const reasons =
    part === null
      ? ofOne([...new Set(changes.map(({ owner }) => owner))])
      : [
          ...changes.filter(({ owner }) => owner !== part).map(({ what, owner }) => `${what} of ${owner}`),
          ...uses
            .filter(({ isWrite, owner }) => !isWrite && owner !== part && !isBefore(owner, part))
            .map(({ table, owner }) => `${part} comes before ${owner}, and does not read its table ${table}`)
        ]
  return [...new Set(reasons)].map((reason) => ({ file, line: 0, reason }))
}

const isBefore = (owner: string, part: string) => owner !== 'sandbox' && order(owner) < order(part)

const ofOne = (owners: string[]) =>
  owners.length > 1 ? [`a function writes tables of one module, and these are of ${owners.join(' and ')}`] : []

/** Triggers of the maintained counts stay on tables of other modules until sharding itself is built. */
function isMaintained({ CreateTrigStmt: made }: Node): boolean {
  const trigger = made as Node | undefined
  return MAINTAINED_COUNTS.triggers.has(`${trigger?.trigname} on ${(trigger?.relation as Node)?.relname}`)
}
