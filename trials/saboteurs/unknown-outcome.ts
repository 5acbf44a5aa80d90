import { type Saboteur, slice } from './saboteur.ts'

const SUBMIT = 'src/billing/charging/submit-attempts.ts'

export const unknownOutcomeSaboteurs: Record<string, Saboteur> = {
  'a charge without a response counts as declined': {
    trial: 'unknown-outcome',
    run: slice('unknown-outcome-trial'),
    trialThen: 'fails',
    edits: [
      {
        file: SUBMIT,
        from: 'refusedOutcome(attempt, failure, now) : checkLater(attempt, now)',
        to: "refusedOutcome(attempt, failure, now) : { result: { idempotencyKey: attempt.idempotencyKey, platformAttemptId: null, state: 'failed', errorCode: 'INSUFFICIENT_FUNDS', errorMessage: 'No response' } }"
      }
    ]
  }
}
