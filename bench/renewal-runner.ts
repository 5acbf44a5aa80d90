import { createBillingEngine } from '#billing'
import { createRunner, type Engine, type Node, type Runner } from '#kit/engines'
import { createJobEngine } from '#kit/jobs'
import { createFactEngines } from '#kit/outbox'
import type { Database } from '#kit/postgres'
import type { Connector } from '#platform'
import { storeStatuses } from '#stores'
import { consumers } from '../src/app/consumers.ts'
import { jobs } from '../src/app/jobs.ts'
import { noMail } from '../src/app/mail.ts'
import { testVault } from '../test/store-builder.ts'

export type RenewalRunner = {
  db: Database
  node: Node
  connectorOf: (storeId: number) => Promise<Connector>
  more?: Engine[]
  onError: (err: unknown) => void
}

/** Runs the engines of a renewal on a node: charges, jobs such as the push of the next date, consumers of facts, and `more`. */
export function createRenewalRunner({ db, node, connectorOf, more = [], onError }: RenewalRunner): Runner {
  const deps = { db, leaseOwner: node.id, connectorOf, sendMail: noMail }
  return createRunner({
    db,
    holds: node.holds,
    statuses: (storeIds) => storeStatuses(db, storeIds),
    freeLeases: async () => 0,
    engines: [
      createBillingEngine(deps),
      createJobEngine({ ...deps, jobs, deps: { ...deps, vault: testVault } }),
      ...createFactEngines({ db, consumers }),
      ...more
    ],
    onError
  })
}
