import type { Saboteur } from './saboteur.ts'

/** Every statement: the slice in the suite meets too few. */
const ALL = ['trials/run.ts', 'crash-points', '7']

export const crashPointsSaboteurs: Record<string, Saboteur> = {
  'a call that may have arrived before a crash is repeated without a search for its attempt': {
    trial: 'crash-points',
    run: ALL,
    trialThen: { failsWith: ': charged under ' },
    edits: [
      {
        file: 'src/billing/charging/ask-platform.ts',
        from: '({ earlier, submittedBefore }: ClaimedAttempt) => earlier.length === 0 && submittedBefore === null',
        to: '({ earlier }: ClaimedAttempt) => earlier.length === 0'
      }
    ]
  },
  'leases of dead processes are not freed': {
    trial: 'crash-points',
    run: ALL,
    trialThen: { failsWith: 'due work is not done' },
    edits: [
      {
        file: 'src/kit/engines/lease-owner.ts',
        from: 'if (dead.length === 0) return 0',
        to: 'if (dead.length >= 0) return 0'
      }
    ]
  }
}
