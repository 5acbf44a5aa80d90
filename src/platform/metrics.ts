import { defineMetric } from '#kit/metrics'

export const platformCalls = defineMetric({
  name: 'perennial.platform.calls',
  kind: 'counter',
  help: 'Calls to platforms',
  labels: {
    operation: 'the operation of the connector, by resource: `contracts.pause`',
    outcome: '`ok`, `unavailable`, `throttled`, `unauthorized` or `rejected`'
  }
})
