import { type Saboteur, slice } from './saboteur.ts'

export const lostMessagesSaboteurs: Record<string, Saboteur> = {
  'an older state of a contract replaces a newer one': {
    trial: 'lost-messages',
    run: slice('lost-messages'),
    trialThen: { failsWith: 'strictly deep-equal' },
    edits: [
      {
        file: 'src/contracts/update-from-contracts.ts',
        from: 'compareRevisions(contract.revision, subscription.platformRevision) >= 0)',
        to: 'compareRevisions(contract.revision, subscription.platformRevision) <= 0)'
      }
    ]
  }
}
