import { mapBounded } from './bounded.ts'
import { byIds } from './by-ids.ts'
import type { PlatformClient } from './client.ts'
import {
  AttemptsCreatedSince,
  BillingAttemptCreate,
  BillingAttemptKeys,
  BillingAttemptsByIds,
  BillingCycleAttempts
} from './documents.ts'
import { type PlatformResult, succeeded } from './outcome.ts'
import { readListed, sinceQuery } from './pages.ts'
import { gid, type ProfileName } from './profiles.ts'
import { readAttempt } from './read-answers.ts'
import type { AttemptRequest, Listed, PlatformAttempt } from './shapes.ts'

const AT_ONCE = 16
/** Pages of a hundred attempts of one contract: two centuries of months. Beyond, the key counts as not found. */
const MAX_KEY_PAGES = 25

export function createBillingAttempt(
  client: PlatformClient,
  profile: ProfileName,
  { contractId, idempotencyKey, originTime, cycleAt }: AttemptRequest
): Promise<PlatformResult<PlatformAttempt>> {
  const input = {
    idempotencyKey,
    originTime: wholeSeconds(originTime),
    ...(cycleAt ? { billingCycleSelector: { date: wholeSeconds(cycleAt) } } : {})
  }
  return client.mutate(
    BillingAttemptCreate,
    { contractId: gid(profile, 'SubscriptionContract', contractId), input },
    (payload) => readAttempt(payload.at('subscriptionBillingAttempt'))
  )
}

/** The platform keeps whole seconds: a fraction more would name the cycle after. */
const wholeSeconds = (at: Temporal.Instant) => at.round({ smallestUnit: 'second', roundingMode: 'floor' }).toString()

/**
 * Each attempt in a document of its own, some at once. Aliases in one document would save round trips but no points,
 * and they share one fate: a lost answer would leave fifty charges unknown instead of one.
 */
export function createBillingAttempts(
  client: PlatformClient,
  profile: ProfileName,
  requests: AttemptRequest[]
): Promise<PlatformResult<PlatformAttempt>[]> {
  return mapBounded(requests, AT_ONCE, (request) => createBillingAttempt(client, profile, request))
}

export function fetchBillingAttempts(client: PlatformClient, profile: ProfileName, ids: string[]) {
  return byIds(client, profile, 'SubscriptionBillingAttempt', BillingAttemptsByIds, ids, readAttempt)
}

/** A page of the attempts made at `since` or later, oldest first. */
export function listBillingAttempts(
  client: PlatformClient,
  since: Temporal.Instant,
  after: string | null
): Promise<PlatformResult<Listed<PlatformAttempt>>> {
  return client.query(AttemptsCreatedSince, { query: sinceQuery('created_at', since), after }, (data) =>
    readListed(data.at('subscriptionBillingAttempts'), readAttempt)
  )
}

export async function fetchBillingAttemptByKey(
  client: PlatformClient,
  profile: ProfileName,
  contractId: string,
  idempotencyKey: string
): Promise<PlatformResult<PlatformAttempt | null>> {
  const contractGid = gid(profile, 'SubscriptionContract', contractId)
  let after: string | null = null
  for (let page = 0; page < MAX_KEY_PAGES; page++) {
    const answer: PlatformResult<{ id: string | null; after: string | null }> = await client.query(
      BillingAttemptKeys,
      { contractId: contractGid, after },
      (data) => {
        const attempts = data.maybeAt('subscriptionContract')?.at('billingAttempts')
        const pageInfo = attempts?.at('pageInfo')
        const found = attempts?.list('nodes').find((node) => node.text('idempotencyKey') === idempotencyKey)
        return {
          id: found?.id('id') ?? null,
          after: pageInfo?.flag('hasNextPage') ? pageInfo.text('endCursor') : null
        }
      }
    )
    if (!answer.ok) return answer
    const { id } = answer.value
    if (id) {
      const attempts = await fetchBillingAttempts(client, profile, [id])
      return attempts.ok ? succeeded(attempts.value.get(id) ?? null) : attempts
    }
    after = answer.value.after
    if (!after) break
  }
  return succeeded(null)
}

/**
 * The attempt that paid the cycle which was to be charged at `at`, whoever made it. Null: none did, or the platform has several
 * cycles there and cannot say which one is meant.
 */
export async function fetchPaymentOfCycle(
  client: PlatformClient,
  profile: ProfileName,
  contractId: string,
  at: Temporal.Instant
): Promise<PlatformResult<PlatformAttempt | null>> {
  const contractGid = gid(profile, 'SubscriptionContract', contractId)
  const cycles = await client.query(BillingCycleAttempts, { contractId: contractGid, date: wholeSeconds(at) }, (data) =>
    data
      .at('subscriptionBillingCycles')
      .list('nodes')
      .map((cycle) =>
        cycle
          .at('billingAttempts')
          .list('nodes')
          .map((attempt) => attempt.id('id'))
      )
  )
  if (!cycles.ok) return cycles
  if (cycles.value.length !== 1 || cycles.value[0]!.length === 0) return succeeded(null)
  const attempts = await fetchBillingAttempts(client, profile, cycles.value[0]!)
  if (!attempts.ok) return attempts
  return succeeded([...attempts.value.values()].find(({ state }) => state === 'success') ?? null)
}
