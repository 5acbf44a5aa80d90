import { defineMetric } from './metrics.ts'

const engine =
  '`billing`, `inbound` (webhooks of the platform), `facts` (gives events their order), `facts:webhooks` (events to deliveries), `deliveries`, `jobs`, `reconcile`, …'

export const engineRuns = defineMetric({
  name: 'perennial.engine.runs',
  kind: 'counter',
  help: 'Runs of engines over a store',
  labels: { engine }
})

export const engineItems = defineMetric({
  name: 'perennial.engine.items',
  kind: 'counter',
  help: 'Items that those runs processed',
  labels: { engine }
})

export const engineFailures = defineMetric({
  name: 'perennial.engine.failures',
  kind: 'counter',
  help: 'Runs of engines that threw; the log has the reason',
  labels: { engine }
})
