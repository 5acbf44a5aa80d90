import { type Saboteur, slice } from './saboteur.ts'

const ASK = 'src/billing/charging/ask-platform.ts'

export const unknownOutcomeSaboteurs: Record<string, Saboteur> = {
  'a charge without a response counts as declined': {
    trial: 'unknown-outcome',
    run: slice('unknown-outcome-trial'),
    trialThen: { failsWith: 'attempts wait for their outcome' },
    edits: [
      {
        file: ASK,
        from: 'refusedOutcome(attempt, failure) : failedCall(attempt, failure, asking)',
        to: "refusedOutcome(attempt, failure) : { result: { idempotencyKey: attempt.idempotencyKey, platformAttemptId: null, state: 'failed', errorCode: 'INSUFFICIENT_FUNDS', errorMessage: 'No response' } }"
      }
    ]
  }
}
