import type { Saboteur } from './saboteur.ts'
import { slice } from './saboteur.ts'

const WORK = 'src/spending/codes/work-on-code.ts'
const REQUEST = 'src/spending/codes/request-code.ts'
const RESTORE = 'src/spending/redemptions/restore-orders.ts'
const SETTLE = 'src/spending/redemptions/settle-orders.ts'
const RUN = slice('credit-codes-trial')

export const creditCodesSaboteurs: Record<string, Saboteur> = {
  'a code whose answer is lost counts as refused': {
    trial: 'credit-codes',
    run: RUN,
    trialThen: { failsWith: 'a code can be used whose credit is released' },
    edits: [{ file: WORK, from: "if (kind === 'rejected' || reason === 'access_denied')", to: 'if (kind !== null)' }]
  },
  'the credit of a revoked code is available at once': {
    trial: 'credit-codes',
    run: RUN,
    trialThen: { failsWith: 'a code can be used whose credit is released' },
    edits: [
      {
        file: REQUEST,
        from: "if (status === 'pending' && sentAt === null)",
        to: "if (status !== 'ending' || sentAt === null)"
      }
    ]
  },
  'no order is looked for before the credit of a code is released': {
    trial: 'credit-codes',
    run: RUN,
    trialThen: { failsWith: 'the credit of a used code is released' },
    edits: [
      { file: WORK, from: 'if (ids.value.length > 0) {', to: 'if (ids.value.length < 0) {' },
      { file: WORK, from: 'if (found.value.uses > 0)', to: 'if (found.value.uses < 0)' }
    ]
  },
  'what an order leaves of a code is spent too': {
    trial: 'credit-codes',
    run: RUN,
    trialThen: { failsWith: 'credit exists twice, or is lost' },
    edits: [
      {
        file: SETTLE,
        from: 'const amountMinor = Math.min(tookOffMinor, code?.amountMinor ?? tookOffMinor)',
        to: 'const amountMinor = code?.amountMinor ?? tookOffMinor'
      }
    ]
  },
  'a cancelled order gives its code back only in the part that was refunded': {
    trial: 'credit-codes',
    run: RUN,
    trialThen: { failsWith: 'credit exists twice, or is lost' },
    edits: [
      {
        file: RESTORE,
        from: 'if (isCancelled) return deductedMinor',
        to: 'if (isCancelled && totalMinor < 0) return 0'
      }
    ]
  },
  'a code is made again without looking for it': {
    trial: 'credit-codes',
    run: RUN,
    trialThen: 'passes',
    edits: [
      {
        file: WORK,
        from: 'wasSent ? await discounts.findByCode(code) : null',
        to: '(null as Awaited<ReturnType<typeof discounts.findByCode>> | null)'
      }
    ]
  }
}
