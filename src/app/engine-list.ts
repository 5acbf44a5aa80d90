// The engines of the modules, one line each; engines.ts adds those that are made with what the service made itself.
export { createMetricsRollupEngine } from '../analytics/metrics-rollup-engine.ts'
export { createBillingEngine } from '../billing/billing-engine.ts'
export { createCreditEngine } from '../credits/credit-engine.ts'
export { createImportEngine } from '../imports/import-engine.ts'
export { createImportPruneEngine } from '../imports/import-prune-engine.ts'
export { createInboundEngine } from '../sync/inbound-engine.ts'
export { createReconcileEngine } from '../sync/reconciler/reconcile-engine.ts'
export { createEndpointWarningEngine } from '../webhooks/endpoints/endpoint-warning-engine.ts'
