import { defineMetric } from '#kit/metrics'

export const webhookTries = defineMetric({
  name: 'perennial.webhook.try.duration.seconds',
  kind: 'histogram',
  help: 'Duration of the tries to deliver webhooks',
  labels: { outcome: '`delivered`, or why the try failed' },
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
})
