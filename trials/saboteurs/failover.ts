import type { Saboteur } from './saboteur.ts'

export const failoverSaboteurs: Record<string, Saboteur> = {
  'the standby is not waited for': {
    trial: 'failover',
    run: ['trials/run.ts', 'failover', '7'],
    trialThen: { failsWith: 'requests that were acknowledged are lost' },
    edits: [
      { file: 'trials/failover.ts', from: 'isSynchronous: true }', to: 'isSynchronous: false }' },
      // The service would warn of it before anything is lost.
      {
        file: 'trials/failover.ts',
        from: 'assert.equal(await findStandbyRisk(db), null)',
        to: 'await findStandbyRisk(db)'
      }
    ]
  }
}
