import type { Saboteur } from './saboteur.ts'
import { slice } from './saboteur.ts'

const RECORD = 'src/spending/platform-account/record-sent.ts'
const PLAN = 'src/spending/platform-account/plan-changes.ts'
const JUDGE = 'src/spending/platform-account/judge-transactions.ts'
const SEND = 'src/spending/platform-account/send-changes.ts'
const RUN = slice('platform-credit-trial')

export const platformCreditSaboteurs: Record<string, Saboteur> = {
  'a credit without an answer counts as not carried out': {
    trial: 'platform-credit',
    run: RUN,
    trialThen: { failsWith: 'credit exists twice, or is lost' },
    edits: [{ file: RECORD, from: '!one.failure.outcomeUnknown && ', to: '' }]
  },
  'what we have sent is taken for a change by somebody else': {
    trial: 'platform-credit',
    run: RUN,
    trialThen: { failsWith: 'credit exists twice, or is lost' },
    edits: [{ file: JUDGE, from: 'push.amountMinor !== amountMinor', to: 'push.amountMinor !== -amountMinor' }]
  },
  'what somebody changes on the platform is no entry of the ledger': {
    trial: 'platform-credit',
    run: RUN,
    trialThen: { failsWith: 'credit exists twice, or is lost' },
    edits: [{ file: JUDGE, from: "isRestored ? 'ours' : 'changed'", to: "'ours'" }]
  },
  'a gift card that may have been made is made with another code': {
    trial: 'platform-credit-cards',
    run: slice('platform-credit-cards-trial'),
    trialThen: { failsWith: 'credit exists twice, or is lost' },
    edits: [
      {
        file: SEND,
        from: 'code: card.code!',
        to: 'code: card.code!.slice(0, 10) + String(Date.now()).slice(-6)'
      }
    ]
  },
  'what a killed process has sent is counted as not sent': {
    trial: 'platform-credit',
    run: RUN,
    trialThen: 'passes',
    edits: [{ file: PLAN, from: 'Math.ceil(maxCallMs * 1.5)', to: '0' }]
  }
}
