import type { FastifyReply, FastifyRequest } from 'fastify'
import { createBatcher } from '#kit/batcher'
import { type Claim, claimKeys, releaseKeys, storeResponses } from '#kit/idempotency'
import type { Ctx, Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { claimOf, idempotencyKeyReused } from '../shared/idempotency.ts'
import { callerOf } from './caller.ts'

type BatchedRequest<Item> = { claim: Claim | null; item: Item }
type Outcome<Body> = { refusal: Refusal } | { refusal?: undefined; response: Body; isReplayed: boolean }

/** A transaction carries out at most this many requests; the others wait for the next one. */
const MAX_BATCH = 64

/**
 * Answers writing requests like `withIdempotency`. Requests of a store that arrive during a transaction are carried out
 * together in the next one: they share its cost, and do not wait for the lock of one object one by one. Each has its own
 * outcome and its own key. `work` gets the items in the order of arrival, and answers or refuses each of them; a refused
 * item must have changed nothing.
 */
export function batchedWrites<Item, Body extends object>(
  db: Database,
  work: (ctx: Ctx, items: Item[]) => Promise<(Body | Refusal)[]>
): (request: FastifyRequest, reply: FastifyReply, item: Item) => Promise<Body> {
  const batcher = createBatcher<number, BatchedRequest<Item>, Outcome<Body>>({
    maxItems: MAX_BATCH,
    work: (storeId, batch) =>
      db.inStore(storeId, async (ctx) => {
        const outcomes = new Map<BatchedRequest<Item>, Outcome<Body>>()
        // Different requests with one key cannot be decided before the first of them is answered.
        for (let open = batch; open.length > 0; open = open.filter((batched) => !outcomes.has(batched))) {
          await runRound(ctx, open, work, outcomes)
        }
        return batch.map((batched) => outcomes.get(batched)!)
      })
  })

  return async (request, reply, item) => {
    const outcome = await batcher(callerOf(request).storeId, { claim: claimOf(request), item })
    if (outcome.refusal) throw outcome.refusal
    if (outcome.isReplayed) reply.header('idempotent-replayed', 'true')
    return outcome.response
  }
}

/** Carries out the first request of each key and its repetitions. Other requests with that key stay open. */
async function runRound<Item, Body extends object>(
  ctx: Ctx,
  open: BatchedRequest<Item>[],
  work: (ctx: Ctx, items: Item[]) => Promise<(Body | Refusal)[]>,
  outcomes: Map<BatchedRequest<Item>, Outcome<Body>>
): Promise<void> {
  const firsts = firstOfEachKey(open)
  const keys = [...firsts.keys()]
  const claimed = await claimKeys(
    ctx,
    [...firsts.values()].map(({ claim }) => claim!)
  )
  const stateOf = new Map(keys.map((key, i) => [key, claimed[i]!]))

  const doing = open.filter(
    (batched) =>
      !batched.claim || (firsts.get(batched.claim.key) === batched && stateOf.get(batched.claim.key)!.state === 'fresh')
  )
  const done = await work(
    ctx,
    doing.map(({ item }) => item)
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
  await storeResponses(ctx, stored)
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
function repetitionOf<Body extends object>(
  state: Awaited<ReturnType<typeof claimKeys>>[number],
  first: Outcome<Body> | undefined
): Outcome<Body> {
  if (state.state === 'other') return { refusal: idempotencyKeyReused() }
  if (state.state === 'stored') return { response: JSON.parse(state.response.body) as Body, isReplayed: true }
  return first!.refusal ? first! : { response: first!.response!, isReplayed: true }
}
