import type { SendMail } from '#identification'
import type { Engine } from '#kit/engines'
import { createJobEngine } from '#kit/jobs'
import type { Measure } from '#kit/metrics'
import { createFactEngines, type FactFailure } from '#kit/outbox'
import type { Database } from '#kit/postgres'
import type { ReceiptFiles } from '#loyalty'
import type { Connector } from '#platform'
import type { ReconcileOptions } from '#sync'
import type { WalletUrls } from '#wallet'
import type { WebhookSettings } from '#webhooks'
import { consumers } from './consumers.ts'
import * as engineList from './engine-list.ts'
import { jobs } from './jobs.ts'

export type EngineDeps = WebhookSettings & {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  canMail: (storeId: number) => Promise<boolean>
  sendMail: SendMail
  maxCallMs: number
  checkUninstalled: (storeId: number) => Promise<void>
  walletUrls?: WalletUrls | undefined
  receiptFiles: ReceiptFiles
  checkConnection: ReconcileOptions['checkConnection']
  measure: Measure
  onFactFailure: (failure: FactFailure, message: string) => void
  /** Engines that the service made itself, since it also stops them or serves their HTTP. */
  sandbox: Engine
  delivery: Engine
}

/** The engines of a node, in any order: each declares the stage of a round to which it belongs. */
export const createEngines = (deps: EngineDeps): Engine[] => [
  ...Object.values<(deps: EngineDeps) => Engine>(engineList).map((create) => create(deps)),
  createJobEngine({ ...deps, jobs, deps }),
  ...createFactEngines({ ...deps, consumers, onFailure: deps.onFactFailure }),
  deps.sandbox,
  deps.delivery
]
