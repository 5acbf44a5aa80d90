import { defineMetric } from '#kit/metrics'

const kind = 'what is reconciled: `webhooks`, `contracts`, `all_contracts`, `attempts` or `failed_attempts`'

export const reconciledItems = defineMetric({
  name: 'perennial.reconcile.items',
  kind: 'counter',
  help: 'Objects of platforms that the reconciler has read',
  labels: { kind }
})

export const reconciledChanges = defineMetric({
  name: 'perennial.reconcile.changes',
  kind: 'counter',
  help: 'Changes that the reconciler found: their webhooks were lost',
  labels: { kind }
})
