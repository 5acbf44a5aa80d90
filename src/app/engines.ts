// Background work: engines do what falls due. See also jobs.ts (remembered tasks) and housekeeping.ts.
import type { Engine } from '#kit/engines'
import { createJobEngine } from '#kit/jobs'
import type { Measure } from '#kit/metrics'
import { createFactEngines, type FactFailure } from '#kit/outbox'
import type { Database } from '#kit/postgres'
import type { Connector } from '#platform'
import type { ReconcileOptions } from '#sync'
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

/** Every engine, in the order in which a charge passes through them. Dynamic imports keep an engine to one line. */
const ENGINES: readonly ((deps: EngineDeps) => Engine | Engine[])[] = [
  (await import('../billing/billing-engine.ts')).createBillingEngine,
  ({ sandbox }) => sandbox,
  (await import('../sync/inbound-engine.ts')).createInboundEngine,
  (deps) => createJobEngine({ ...deps, jobs, deps }),
  (await import('../sync/reconciler/reconcile-engine.ts')).createReconcileEngine,
  (await import('../imports/import-engine.ts')).createImportEngine,
  (await import('../imports/import-prune-engine.ts')).createImportPruneEngine,
  (await import('../credits/credit-engine.ts')).createCreditEngine,
  (deps) => createFactEngines({ ...deps, consumers, onFailure: deps.onFactFailure }),
  ({ delivery }) => delivery,
  (await import('../analytics/metrics-rollup-engine.ts')).createMetricsRollupEngine
]

/** The engines of a node. */
export const createEngines = (deps: EngineDeps): Engine[] => ENGINES.flatMap((create) => create(deps))
