import type { FastifyReply, FastifyRequest } from 'fastify'
import { createGatherer } from '#kit/gather'
import { type Claim, claimKeys, keepAnswers, releaseKeys } from '#kit/idempotency'
import type { Ctx, Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { claimOf, keyOfAnother } from '../shared/idempotency.ts'
import { callerOf } from './caller.ts'

type Asked<Item> = { claim: Claim | null; item: Item }
type Outcome<Answer> = { refusal: Refusal } | { refusal?: undefined; answer: Answer; isReplayed: boolean }

/** A transaction carries out at most so many requests; the rest goes with the next. */
const MOST_TOGETHER = 64

/**
 * Answers writing requests as `answerOnce` does, those of a store that come while a transaction is under way together in
 * the next one: its cost is shared, and requests for one object do not queue for its lock one by one. Each has its own
 * outcome and its own key. `work` gets what is to be done, in the order of arrival, and answers or refuses each; a refused
 * one must have left nothing.
 */
export function answererTogether<Item, Answer extends object>(
  db: Database,
  work: (ctx: Ctx, items: Item[]) => Promise<(Answer | Refusal)[]>
): (request: FastifyRequest, reply: FastifyReply, item: Item) => Promise<Answer> {
  const gather = createGatherer<number, Asked<Item>, Outcome<Answer>>({
    most: MOST_TOGETHER,
    work: (storeId, batch) =>
      db.inStore(storeId, async (ctx) => {
        const outcomes = new Map<Asked<Item>, Outcome<Answer>>()
        // Requests that use a key differently cannot be judged before the first of them is answered.
        for (let open = batch; open.length > 0; open = open.filter((asked) => !outcomes.has(asked))) {
          await answerRound(ctx, open, work, outcomes)
        }
        return batch.map((asked) => outcomes.get(asked)!)
      })
  })

  return async (request, reply, item) => {
    const outcome = await gather(callerOf(request).storeId, { claim: claimOf(request), item })
    if (outcome.refusal) throw outcome.refusal
    if (outcome.isReplayed) reply.header('idempotent-replayed', 'true')
    return outcome.answer
  }
}

/** Of each key the first request and its repetitions; others that bring the key are left open. */
async function answerRound<Item, Answer extends object>(
  ctx: Ctx,
  open: Asked<Item>[],
  work: (ctx: Ctx, items: Item[]) => Promise<(Answer | Refusal)[]>,
  outcomes: Map<Asked<Item>, Outcome<Answer>>
): Promise<void> {
  const firsts = firstOfEachKey(open)
  const keys = [...firsts.keys()]
  const claimed = await claimKeys(
    ctx,
    [...firsts.values()].map(({ claim }) => claim!)
  )
  const stateOf = new Map(keys.map((key, i) => [key, claimed[i]!]))

  const doing = open.filter(
    (asked) =>
      !asked.claim || (firsts.get(asked.claim.key) === asked && stateOf.get(asked.claim.key)!.state === 'fresh')
  )
  const done = await work(
    ctx,
    doing.map(({ item }) => item)
  )
  const kept: { key: string; status: number; body: string }[] = []
  const released: string[] = []
  for (const [i, asked] of doing.entries()) {
    const answer = done[i]!
    const key = asked.claim?.key
    if (answer instanceof Refusal) {
      outcomes.set(asked, { refusal: answer })
      if (key) released.push(key)
    } else {
      outcomes.set(asked, { answer, isReplayed: false })
      if (key) kept.push({ key, status: 200, body: JSON.stringify(answer) })
    }
  }
  await keepAnswers(ctx, kept)
  await releaseKeys(ctx, released)

  for (const asked of open) {
    const first = asked.claim && firsts.get(asked.claim.key)
    if (!first || outcomes.has(asked) || !asked.claim!.fingerprint.equals(first.claim!.fingerprint)) continue
    outcomes.set(asked, repetitionOf(stateOf.get(asked.claim!.key)!, outcomes.get(first)))
  }
}

function firstOfEachKey<Item>(open: Asked<Item>[]): Map<string, Asked<Item>> {
  const firsts = new Map<string, Asked<Item>>()
  for (const asked of open) {
    if (asked.claim && !firsts.has(asked.claim.key)) firsts.set(asked.claim.key, asked)
  }
  return firsts
}

/** What a request is told whose key was answered before, or just now by its twin. */
function repetitionOf<Answer extends object>(
  state: Awaited<ReturnType<typeof claimKeys>>[number],
  first: Outcome<Answer> | undefined
): Outcome<Answer> {
  if (state.state === 'other') return { refusal: keyOfAnother() }
  if (state.state === 'kept') return { answer: JSON.parse(state.answer.body) as Answer, isReplayed: true }
  return first!.refusal ? first! : { answer: first!.answer!, isReplayed: true }
}
