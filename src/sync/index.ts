export { createConnections } from './connections/connections.ts'
export { createFreshTokens } from './connections/fresh-tokens.ts'
export { installStore, refuseOtherPlatform } from './connections/install-store.ts'
export { moveSandboxStores } from './connections/move-sandbox-stores.ts'
export { openStore, type SandboxShops } from './connections/open-store.ts'
export { reconcileStore, reconnectAndReconcile } from './connections/reconnect-and-reconcile.ts'
export { reportWithheld } from './connections/report-withheld.ts'
export { recordTokenAnswers } from './connections/token-answers.ts'
export { DEFAULT_ORDERS_DAYS, listReadIns, type ReadIn, startReadIn } from './read-in/read-ins.ts'
export type { ReconcileOptions } from './reconciler/reconcile-engine.ts'
export {
  claimWalk,
  listReconciliations,
  markWalked,
  type Reconciliation,
  reconcileNow
} from './reconciler/reconciliation.ts'
export { holdAllStores, holdRestoredStores, releaseStore } from './restored-store.ts'
export { TOPICS as PLATFORM_TOPICS } from './topics.ts'
