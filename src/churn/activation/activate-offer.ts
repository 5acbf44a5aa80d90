import { setTimeout } from 'node:timers/promises'
import { giveGrant, setCadence } from '#contracts'
import type { Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import type { Connector, PlatformFailure, PlatformResult } from '#platform'
import type { ContractOffer } from '../contract-offers/contract-offer.ts'
import { hasEnded, platformAway, platformRefused } from '../refusals.ts'
import { type Acceptance, type BegunOnPlatform, beginActivation, type OnPlatform } from './begin-activation.ts'
import { finishActivation } from './finish-activation.ts'
import { isRefusal } from './is-refusal.ts'
import { takeBack } from './take-back.ts'

export type ActivationDeps = {
  db: Database
  connectorOf: (storeId: number) => Promise<Connector>
  /** How long the platform is waited for, in all. */
  withinMs?: number
}

/** The app proxy of the platform waits for ten seconds in all. */
const WITHIN_MS = 7_000
const PAUSE_MS = 150

/**
 * Applies an offer to a contract and returns it, active: store credit in one transaction; a discount or another frequency on the platform first, by one
 * edit of the contract, between two. What the platform does not do in time leaves nothing: what a lost answer may have done there is taken off
 * again. So is what a process that dies has begun. Refuses what cannot be, in words for the customer.
 */
export async function activateOffer(
  deps: ActivationDeps,
  storeId: number,
  acceptance: Acceptance
): Promise<ContractOffer> {
  const { db, connectorOf, withinMs = WITHIN_MS } = deps
  const until = performance.now() + withinMs
  const begun = await db.inStore(storeId, (ctx) => beginActivation(ctx, acceptance))
  if (begun.type === 'add_store_credits') return begun.offer
  const applied = await applyInTime(() => connectorOf(storeId), begun, until)
  if (applied.ok) {
    const finished = await db.inStore(storeId, (ctx) => finishActivation(ctx, begun, applied.value, acceptance.by))
    if (finished.offer) return finished.offer
    throw finished.why === 'ended' ? hasEnded() : platformAway()
  }
  const { failure } = applied
  if (await db.inStore(storeId, (ctx) => takeBack(ctx, begun, failure))) throw hasEnded()
  throw isRefusal(failure) ? platformRefused() : platformAway()
}

/** Tries until it is done, refused for good, or the time is over. After that nobody knows what a call under way does. */
async function applyInTime(
  connectorOf: () => Promise<Connector>,
  begun: BegunOnPlatform,
  until: number
): Promise<PlatformResult<OnPlatform>> {
  const left = () => Math.max(0, until - performance.now())
  const timeOver = new AbortController()
  const late = setTimeout(left(), null, { signal: timeOver.signal }).then(
    () => LATE,
    () => LATE
  )
  let isUncertain = false
  try {
    for (;;) {
      const result = await Promise.race([attempt(connectorOf, begun), late])
      if (result.ok) return result
      const { failure } = result
      isUncertain ||= failure.outcomeUnknown === true
      if (!isWorthAnotherTry(failure) || left() < PAUSE_MS) {
        // What an earlier try may have done, a later failure does not undo.
        return isUncertain ? { ok: false, failure: { ...failure, outcomeUnknown: true } } : result
      }
      await setTimeout(PAUSE_MS * (1 + Math.random()))
    }
  } finally {
    timeOver.abort()
  }
}

const LATE: { ok: false; failure: PlatformFailure } = {
  ok: false,
  failure: { kind: 'unavailable', message: 'The platform did not answer in time', outcomeUnknown: true }
}

/** Somebody else has changed the contract meanwhile, or the answer was lost: both calls may be repeated. */
const isWorthAnotherTry = ({ code, outcomeUnknown }: PlatformFailure): boolean =>
  code === 'stale_contract' || outcomeUnknown === true

/** A store that is disconnected has no connector. */
function asFailure(err: unknown): { ok: false; failure: PlatformFailure } {
  if (!(err instanceof Refusal)) throw err
  return { ok: false, failure: { kind: 'unauthorized', message: err.message } }
}

async function attempt(
  connectorOf: () => Promise<Connector>,
  begun: BegunOnPlatform
): Promise<PlatformResult<OnPlatform>> {
  const connector = await connectorOf().catch(asFailure)
  if ('failure' in connector) return connector
  const { contractId } = begun
  if (begun.type === 'discount_price') {
    const { grant, currency } = begun
    const given = await giveGrant(connector, { contractId, currency }, grant)
    return given.ok ? { ok: true, value: { type: 'discount_price', grant, ...given.value } } : given
  }
  const edited = await setCadence(connector, contractId, begun.cadence)
  if (!edited.ok) return edited
  if (edited.value === null) {
    return { ok: false, failure: { kind: 'rejected', message: `The platform has no contract ${contractId}` } }
  }
  return { ok: true, value: { type: 'change_frequency', contract: edited.value } }
}
