import type { FastifyReply, FastifyRequest } from 'fastify'
import { createBatcher } from '#kit/batcher'
import { type Claim, type Claimed, claimKeys, releaseKeys, storeResponses } from '#kit/idempotency'
import { withRequestId } from '#kit/outbox'
import { type Bound, type Ctx, type Database, sentTogether } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { claimOf, idempotencyKeyReused } from '../shared/idempotency.ts'
import { callerOf } from './caller.ts'

type BatchedRequest<Item> = { claim: Claim | null; item: Item }
type Outcome<Body> = { refusal: Refusal } | { refusal?: undefined; response: Body; isReplayed: boolean }

/** What a kind of request does with the items of a batch. */
type Doing<Item, Read, Body> = {
  /** What it needs of each item from the database, without locks. It is asked for when the transaction begins, before its time is known. */
  read: (bound: Bound, items: Item[]) => Promise<Read[]>
  /** Gets the items in the order of arrival, with what was read of each, and answers or refuses each of them; a refused item must have changed nothing. */
  work: (ctx: Ctx, items: Item[], read: Read[]) => Promise<(Body | Refusal)[]>
}

/** A transaction carries out at most this many requests; the others wait for the next one. */
const MAX_BATCH = 64

/**
 * Answers writing requests like `withIdempotency`. Requests of a store that arrive during a transaction are carried out
 * together in the next one: they share its cost, and do not wait for the lock of one object one by one. Each has its own
 * outcome and its own key.
 */
export function batchedWrites<Item, Read, Body extends object>(
  db: Database,
  doing: Doing<Item, Read, Body>
): (request: FastifyRequest, reply: FastifyReply, item: Item) => Promise<Body> {
  const batcher = createBatcher<number, BatchedRequest<Item>, Outcome<Body>>({
    maxItems: MAX_BATCH,
    work: (storeId, batch) =>
      withRequestId(null, () =>
        db.inStoreByKeys(
          storeId,
          (bound) => beginRound(bound, batch, doing),
          async (ctx, first) => {
            const outcomes = new Map<BatchedRequest<Item>, Outcome<Body>>()
            await runRound(ctx, batch, first, doing, outcomes)
            // Different requests with one key cannot be decided before the first of them is answered.
            for (;;) {
              const open = batch.filter((batched) => !outcomes.has(batched))
              if (open.length === 0) return batch.map((batched) => outcomes.get(batched)!)
              await runRound(ctx, open, await beginRound(ctx, open, doing), doing, outcomes)
            }
          }
        )
      )
  })

  return async (request, reply, item) => {
    const outcome = await batcher(callerOf(request).storeId, { claim: claimOf(request), item })
    if (outcome.refusal) throw outcome.refusal
    if (outcome.isReplayed) reply.header('idempotent-replayed', 'true')
    return outcome.response
  }
}

type Round<Item, Read> = {
  firsts: Map<string, BatchedRequest<Item>>
  stateOf: Map<string, Claimed>
  readOf: Map<BatchedRequest<Item>, Read>
}

/** Claims the keys of open requests, and reads what they need. */
async function beginRound<Item, Read>(
  bound: Bound,
  open: BatchedRequest<Item>[],
  { read }: Pick<Doing<Item, Read, object>, 'read'>
): Promise<Round<Item, Read>> {
  const firsts = firstOfEachKey(open)
  const [claimed, found] = await sentTogether(
    claimKeys(
      bound,
      [...firsts.values()].map(({ claim }) => claim!)
    ),
    read(
      bound,
      open.map(({ item }) => item)
    )
  )
  const stateOf = new Map([...firsts.keys()].map((key, i) => [key, claimed[i]!]))
  return { firsts, stateOf, readOf: new Map(open.map((batched, i) => [batched, found[i]!])) }
}

/** Carries out the first request of each key and its repetitions. Other requests with that key stay open. */
async function runRound<Item, Read, Body extends object>(
  ctx: Ctx,
  open: BatchedRequest<Item>[],
  { firsts, stateOf, readOf }: Round<Item, Read>,
  { work }: Doing<Item, Read, Body>,
  outcomes: Map<BatchedRequest<Item>, Outcome<Body>>
): Promise<void> {
  const doing = open.filter(
    (batched) =>
      !batched.claim || (firsts.get(batched.claim.key) === batched && stateOf.get(batched.claim.key)!.state === 'fresh')
  )
  const done = await work(
    ctx,
    doing.map(({ item }) => item),
    doing.map((batched) => readOf.get(batched)!)
  )
  const stored: { key: string; status: number; body: string }[] = []
  const released: string[] = []
  for (const [i, batched] of doing.entries()) {
    const result = done[i]!
    const key = batched.claim?.key
    if (result instanceof Refusal) {
      outcomes.set(batched, { refusal: result })
      if (key) released.push(key)
    } else {
      outcomes.set(batched, { response: result, isReplayed: false })
      if (key) stored.push({ key, status: 200, body: JSON.stringify(result) })
    }
  }
  storeResponses(ctx, stored)
  await releaseKeys(ctx, released)

  for (const batched of open) {
    const first = batched.claim && firsts.get(batched.claim.key)
    if (!first || outcomes.has(batched) || !batched.claim!.fingerprint.equals(first.claim!.fingerprint)) continue
    outcomes.set(batched, repetitionOf(stateOf.get(batched.claim!.key)!, outcomes.get(first)))
  }
}

function firstOfEachKey<Item>(open: BatchedRequest<Item>[]): Map<string, BatchedRequest<Item>> {
  const firsts = new Map<string, BatchedRequest<Item>>()
  for (const batched of open) {
    if (batched.claim && !firsts.has(batched.claim.key)) firsts.set(batched.claim.key, batched)
  }
  return firsts
}

/** The outcome of a request whose key was answered before, or just now in the same batch. */
function repetitionOf<Body extends object>(state: Claimed, first: Outcome<Body> | undefined): Outcome<Body> {
  if (state.state === 'other') return { refusal: idempotencyKeyReused() }
  if (state.state === 'stored') return { response: JSON.parse(state.response.body) as Body, isReplayed: true }
  return first!.refusal ? first! : { response: first!.response!, isReplayed: true }
}
