// The platform as a connector shows it, for tests of what is asked there and what follows from the answers.
import type { Connector, PlatformAttempt, PlatformFailure } from '#platform'
import type { ClaimedAttempt, EarlierAttempt } from './claims.ts'

export const NOW = Temporal.Instant.from('2026-02-28T15:00:00Z')
export type State = PlatformAttempt['state']

export const reported = (id: string, state: State, idempotencyKey = `key-${id}`): PlatformAttempt =>
  ({
    id,
    state,
    idempotencyKey,
    contractId: '1',
    createdAt: NOW,
    originAt: NOW,
    errorCode: state === 'failed' ? 'INSUFFICIENT_FUNDS' : null,
    errorMessage: null,
    nextActionUrl: null,
    order: null,
    paymentMethod: null
  }) as PlatformAttempt

export const claimed = (earlier: EarlierAttempt[], over: Partial<ClaimedAttempt> = {}): ClaimedAttempt => ({
  id: 7,
  subscriptionId: 1,
  cycleIndex: 2,
  idempotencyKey: 'svc-1-2-3',
  platformContractId: '1',
  cycleAt: NOW,
  earlier,
  isWanted: true,
  scheduledAt: NOW,
  platformAttemptId: null,
  submittedBefore: null,
  checks: 0,
  refusals: 0,
  isActionRequired: false,
  leaseToken: 4,
  ...over
})
export const byId = (id: string): EarlierAttempt => ({ idempotencyKey: `key-${id}`, platformAttemptId: id })
export const byKey = (id: string): EarlierAttempt => ({ idempotencyKey: `key-${id}`, platformAttemptId: null })

/**
 * A platform that knows these attempts, cannot read those by key that are named, and has this payment of every cycle. `charge` is
 * what comes of a call to charge. `asked`: the questions and calls that it got, in order.
 */
export function aPlatform(
  known: PlatformAttempt[],
  {
    unreadable = [],
    isDown = false,
    ofCycle = null,
    failure: { kind } = { kind: 'unavailable' },
    charge = (key) => reported('new', 'pending', key)
  }: {
    unreadable?: string[]
    isDown?: boolean
    ofCycle?: PlatformAttempt | 'unreadable' | null
    failure?: Pick<PlatformFailure, 'kind'>
    charge?: (key: string) => PlatformAttempt | Pick<PlatformFailure, 'kind'>
  } = {}
) {
  const asked: string[] = []
  const failure = { ok: false as const, failure: { kind, message: 'down' } }
  const billing = {
    async createAttempts([{ idempotencyKey }]: [{ idempotencyKey: string }]) {
      asked.push(`charge ${idempotencyKey}`)
      const made = charge(idempotencyKey)
      return ['id' in made ? { ok: true, value: made } : { ok: false, failure: { ...made, message: 'no' } }]
    },
    async findAttempts(ids: string[]) {
      asked.push(`ids ${ids.join()}`)
      return isDown
        ? failure
        : { ok: true, value: new Map(known.filter((a) => ids.includes(a.id)).map((a) => [a.id, a])) }
    },
    async findAttemptsByKeys(contract: string, keys: string[], ids: string[] = []) {
      asked.push(`${contract} ${keys.join()} ${ids.join()}`)
      if (isDown || keys.some((key) => unreadable.includes(key))) return failure
      return { ok: true, value: known.filter((a) => ids.includes(a.id) || keys.includes(a.idempotencyKey)) }
    },
    async findPaymentOfCycle(contract: string, at: Temporal.Instant) {
      asked.push(`cycle ${contract} ${at}`)
      return ofCycle === 'unreadable' ? failure : { ok: true, value: ofCycle }
    }
  }
  return { connector: { billing } as unknown as Connector, asked }
}
