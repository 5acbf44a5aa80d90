// The engines of this module, in one line of the list of engines.
export { createInboundEngine } from './inbound-engine.ts'
export { createReadInEngine } from './read-in/read-in-engine.ts'
export { createReconcileEngine } from './reconciler/reconcile-engine.ts'
