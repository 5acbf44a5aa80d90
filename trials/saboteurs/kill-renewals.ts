import type { Saboteur } from './saboteur.ts'

/** With a third of the kills the first saboteur is missed at times. */
const KILLS = ['trials/run.ts', 'kill-renewals', '7', '--size', '300', '--kills', '40']
/** The process that follows has to search before a call of the killed one arrives: that is rare where few are late. */
const LATE = ['trials/run.ts', 'kill-renewals', '7', '--size', '200', '--kills', '2', '--slow', '0.2']
const ASK = 'src/billing/charging/ask-platform.ts'

export const killRenewalsSaboteurs: Record<string, Saboteur> = {
  'a call that may have arrived is repeated without a search for its attempt': {
    trial: 'kill-renewals',
    run: KILLS,
    trialThen: { failsWith: 'contract 900' },
    edits: [
      {
        file: ASK,
        from: '({ earlier, submittedBefore }: ClaimedAttempt) => earlier.length === 0 && submittedBefore === null',
        to: '({ earlier }: ClaimedAttempt) => earlier.length === 0'
      }
    ]
  },
  'a charge that a dead process may have sent is freed with its other leases': {
    trial: 'kill-renewals',
    run: LATE,
    trialThen: { failsWith: 'contract 900' },
    edits: [
      {
        file: 'src/billing/charging/claims.ts',
        from: ' and platform_attempt_id is not null`',
        to: '`'
      }
    ]
  },
  'an attempt has another key at each call': {
    trial: 'kill-renewals',
    run: KILLS,
    trialThen: { failsWith: 'contract 900' },
    edits: [
      {
        file: ASK,
        from: '      idempotencyKey: attempt.idempotencyKey,\n      originTime',
        to: '      idempotencyKey: attempt.idempotencyKey + attempt.leaseToken,\n      originTime'
      }
    ]
  },
  'a retry is sent without asking after the earlier attempts': {
    trial: 'kill-renewals',
    run: KILLS,
    trialThen: { failsWith: 'contract 900' },
    edits: [
      {
        file: 'src/billing/charging/check-prior-attempts.ts',
        from: "found.value.filter(({ state }) => state === 'success')",
        to: 'found.value.filter(() => false)'
      },
      {
        file: 'src/billing/charging/check-prior-attempts.ts',
        from: "found.value.every(({ state }) => state === 'failed')",
        to: 'found.value.every(() => true)'
      }
    ]
  }
}
