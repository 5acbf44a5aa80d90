import type { Saboteur } from './saboteur.ts'

export const failoverSaboteurs: Record<string, Saboteur> = {
  'the standby is not waited for': {
    trial: 'failover',
    run: ['trials/run.ts', 'failover', '7'],
    trialThen: { failsWith: 'strictly equal' },
    edits: [{ file: 'trials/failover.ts', from: 'isSynchronous: true }', to: 'isSynchronous: false }' }]
  }
}
