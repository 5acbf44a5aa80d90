import { defineMetric } from '#kit/metrics'

export const queueDepth = defineMetric({
  name: 'perennial.queue.depth',
  kind: 'gauge',
  help: 'Items in each queue, including those that are not due yet',
  labels: {
    queue:
      '`events` (not handled by every consumer yet), `fact_retries`, `dead_facts`, `webhook_deliveries`, `inbound_webhooks`, `billing_attempts`, `jobs`, or `failing_reconciliations`: those whose last page failed'
  }
})
