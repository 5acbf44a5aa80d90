import { mapConcurrently } from '#kit/map-concurrently'
import { ofLowPriority, type PlatformClient, type Priority } from '../wire/client.ts'
import { findByIds, notReadable } from '../wire/find-by-ids.ts'
import { failed, type PlatformFailure, type PlatformResult, succeeded, UNREADABLE_RESPONSE } from '../wire/outcome.ts'
import { nextCursor, type Page, readPage, sinceQuery, wholeSeconds } from '../wire/pages.ts'
import { type PlatformAttempt, readAttempt } from './attempt.ts'
import {
  AttemptIdsCreatedSince,
  AttemptsCreatedSince,
  BillingAttemptCreate,
  BillingAttemptKeys,
  BillingAttemptsByIds,
  BillingCycleAttempts
} from './documents.ts'
import { listChargesSince, type PlatformCharges } from './list-charges.ts'

export type AttemptRequest = {
  contractId: string
  /** Stored before the call and the same at every repetition: the platform charges once per key. */
  idempotencyKey: string
  originTime: Temporal.Instant
  /** The date of the cycle to charge; the platform finds its own cycle number for it. */
  cycleAt?: Temporal.Instant | null
  /**
   * The charge is not sent when its call could end later; a time of `performance.now()`. Its failure then has the code
   * `too_late`.
   */
  endBy?: number
}

/** An attempt that exists and cannot be read. */
export type UnreadableAttempt = { id: string; idempotencyKey: string; reason: string }
/** A page of attempts, with those on it that cannot be read. */
export type AttemptsPage = Page<PlatformAttempt> & { unreadable: UnreadableAttempt[] }

export type BillingApi = {
  createAttempt(request: AttemptRequest): Promise<PlatformResult<PlatformAttempt>>
  /** One result per request, in the order given and independent of the others. */
  createAttempts(requests: AttemptRequest[]): Promise<PlatformResult<PlatformAttempt>[]>
  /**
   * By id; leaves out attempts that the platform does not have, or withholds from us: that one is missing proves nothing. With
   * priority `low` it leaves half of the cost budget to other calls.
   */
  findAttempts(ids: string[], priority?: Priority): Promise<PlatformResult<Map<string, PlatformAttempt>>>
  /** A page of the attempts created at `since` or later, oldest first. One that cannot be read does not block the others. */
  listAttemptsSince(since: Temporal.Instant, after: string | null): Promise<PlatformResult<AttemptsPage>>
  /**
   * A page of what was charged by attempts created at `since` or later, newest first, as their orders have it. It leaves half of
   * the cost budget to other calls.
   */
  listChargesSince(since: Temporal.Instant, after: string | null): Promise<PlatformResult<PlatformCharges>>
  /**
   * Tells whether calls of `createAttempt` were executed: all attempts of the contract with these keys, and those with the ids
   * `alsoIds`. A key has several where the platform had forgotten it and was sent it again. Fails if one of them is withheld from
   * us: what may not be read may have been paid.
   */
  findAttemptsByKeys(
    contractId: string,
    idempotencyKeys: string[],
    alsoIds?: string[]
  ): Promise<PlatformResult<PlatformAttempt[]>>
  /**
   * The attempt that paid the cycle whose billing date is `at`, whoever created it. Null: none did, or the platform has
   * several cycles at that date, so that the cycle is ambiguous. Fails if one of the cycle's attempts is withheld from us.
   */
  findPaymentOfCycle(contractId: string, at: Temporal.Instant): Promise<PlatformResult<PlatformAttempt | null>>
}

const ATTEMPTS_AT_ONCE = 16
/** Pages of a hundred attempts of one contract, newest first: no cycle that is still open has its attempts behind so many. */
const MAX_KEY_PAGES = 25

export function createBillingApi(client: PlatformClient): BillingApi {
  const createAttempt: BillingApi['createAttempt'] = ({ contractId, idempotencyKey, originTime, cycleAt, endBy }) => {
    const input = {
      idempotencyKey,
      originTime: wholeSeconds(originTime),
      // A fraction of a second more would be the date of the next cycle.
      ...(cycleAt ? { billingCycleSelector: { date: wholeSeconds(cycleAt) } } : {})
    }
    return client.mutate(
      BillingAttemptCreate,
      { contractId: client.gid('SubscriptionContract', contractId), input },
      (payload) => readAttempt(payload.at('subscriptionBillingAttempt')),
      { endBy }
    )
  }
  const patient = ofLowPriority(client)
  return {
    createAttempt,
    // One document per attempt. Aliases in one document would save round trips but no points, and one lost answer would then
    // leave fifty charges unknown instead of one.
    createAttempts: (requests) => mapConcurrently(requests, ATTEMPTS_AT_ONCE, createAttempt),
    findAttempts: (ids, priority) => findAttempts(priority === 'low' ? patient : client, ids),
    listAttemptsSince: (since, after) => listAttemptsSince(client, since, after),
    listChargesSince: (since, after) => listChargesSince(patient, since, after),
    findAttemptsByKeys: (contractId, keys, alsoIds = []) => findAttemptsByKeys(client, contractId, keys, alsoIds),
    findPaymentOfCycle: (contractId, at) => findPaymentOfCycle(client, contractId, at)
  }
}

async function listAttemptsSince(
  client: PlatformClient,
  since: Temporal.Instant,
  after: string | null
): Promise<PlatformResult<AttemptsPage>> {
  const variables = { query: sinceQuery('created_at', since), after }
  const page = await client.query(AttemptsCreatedSince, variables, (data) =>
    readPage(data.at('subscriptionBillingAttempts'), readAttempt)
  )
  if (page.ok) return succeeded({ ...page.value, unreadable: [] })
  if (!mayBeOfOne(page.failure)) return page
  const ids = await client.query(AttemptIdsCreatedSince, variables, (data) =>
    readPage(data.at('subscriptionBillingAttempts'), (node) => ({
      id: node.id('id'),
      idempotencyKey: node.text('idempotencyKey')
    }))
  )
  if (!ids.ok) return ids
  const reads = await mapConcurrently(ids.value.items, ATTEMPTS_AT_ONCE, ({ id }) => findAttempts(client, [id]))
  const items: PlatformAttempt[] = []
  const unreadable: UnreadableAttempt[] = []
  for (const [i, read] of reads.entries()) {
    const one = ids.value.items[i]!
    const found = read.ok ? read.value.get(one.id) : undefined
    if (found) items.push(found)
    else if (read.ok) unreadable.push({ ...one, reason: 'The platform withholds it' })
    else if (mayBeOfOne(read.failure)) unreadable.push({ ...one, reason: read.failure.message })
    else return read
  }
  return succeeded({ items, unreadable, after: ids.value.after })
}

/** Whether the failure of a list may be that of one of its objects, so that the others can be read. */
const mayBeOfOne = ({ code }: PlatformFailure) => code === 'access_denied' || code === UNREADABLE_RESPONSE

function findAttempts(client: PlatformClient, ids: string[]) {
  return findByIds(client, 'SubscriptionBillingAttempt', BillingAttemptsByIds, ids, readAttempt, {
    withheld: 'missing'
  })
}

/**
 * Attempts that decide whether something is charged, or counts as not charged: one that we may not read is the failure of all. So
 * is a failed one whose order we may not read: with an order it was paid.
 */
async function readAll(client: PlatformClient, ids: string[]): Promise<PlatformResult<PlatformAttempt[]>> {
  if (ids.length === 0) return succeeded([])
  const found = await findByIds(client, 'SubscriptionBillingAttempt', BillingAttemptsByIds, ids, readAttempt)
  if (!found.ok) return found
  const attempts = [...found.value.values()]
  if (attempts.some(({ isOrderWithheld }) => isOrderWithheld)) return failed(notReadable('Order'))
  return succeeded(attempts)
}

async function findAttemptsByKeys(
  client: PlatformClient,
  contractId: string,
  idempotencyKeys: string[],
  alsoIds: string[]
): Promise<PlatformResult<PlatformAttempt[]>> {
  const contractGid = client.gid('SubscriptionContract', contractId)
  const keys = new Set(idempotencyKeys)
  const ids = [...alsoIds]
  let after: string | null = null
  for (let page = 0; keys.size > 0 && page < MAX_KEY_PAGES; page++) {
    const result: PlatformResult<{ ids: string[]; after: string | null }> = await client.query(
      BillingAttemptKeys,
      { contractId: contractGid, after },
      (data) => {
        const attempts = data.atIfAny('subscriptionContract')?.at('billingAttempts')
        const found = attempts?.list('nodes').filter((node) => keys.has(node.text('idempotencyKey'))) ?? []
        return { ids: found.map((node) => node.id('id')), after: attempts ? nextCursor(attempts) : null }
      }
    )
    if (!result.ok) return result
    ids.push(...result.value.ids)
    after = result.value.after
    if (!after) break
  }
  return readAll(client, ids)
}

async function findPaymentOfCycle(
  client: PlatformClient,
  contractId: string,
  at: Temporal.Instant
): Promise<PlatformResult<PlatformAttempt | null>> {
  const contractGid = client.gid('SubscriptionContract', contractId)
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
  const attempts = await readAll(client, cycles.value[0]!)
  if (!attempts.ok) return attempts
  return succeeded(attempts.value.find(({ state }) => state === 'success') ?? null)
}
