// Background work: engines do what falls due. See also jobs.ts (remembered tasks) and housekeeping.ts.
import { createMetricsRollupEngine } from '#analytics'
import { createBillingEngine } from '#billing'
import { createCreditEngine } from '#credits'
import { createImportEngine, createImportPruneEngine } from '#imports'
import type { Engine } from '#kit/engines'
import { createJobEngine } from '#kit/jobs'
import type { Measure } from '#kit/metrics'
import { createFactEngine, type FactFailure } from '#kit/outbox'
import type { Database } from '#kit/postgres'
import type { Connector } from '#platform'
import { createInboundEngine, createReconcileEngine, type ReconcileOptions } from '#sync'
import { consumers } from './consumers.ts'
import { jobs } from './jobs.ts'

export type EngineDeps = {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** Disconnects a store whose platform has uninstalled the app. */
  disconnect: (storeId: number) => Promise<void>
  checkConnection: ReconcileOptions['checkConnection']
  measure: Measure
  onFactFailure: (failure: FactFailure, message: string) => void
  /** Engines that the service made itself, since it also stops them or serves their HTTP. */
  sandbox: Engine
  delivery: Engine
}

/** Every engine, in the order in which a charge passes through them. */
export function createEngines(deps: EngineDeps): Engine[] {
  return [
    createBillingEngine(deps),
    deps.sandbox,
    createInboundEngine(deps),
    createJobEngine({ ...deps, jobs, deps }),
    createReconcileEngine(deps),
    createImportEngine(deps),
    createImportPruneEngine(deps),
    createCreditEngine(deps),
    createFactEngine({ ...deps, consumers, onFailure: deps.onFactFailure }),
    deps.delivery,
    createMetricsRollupEngine(deps)
  ]
}
