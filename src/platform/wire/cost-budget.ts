import { setTimeout as sleep } from 'node:timers/promises'

/** The cost bucket as a response states it: points, and points per second. */
export type ThrottleStatus = { maximumAvailable: number; currentlyAvailable: number; restoreRate: number }

type Waiting = { cost: number; patience: NodeJS.Timeout; resolve: (isReserved: boolean) => void }

/** For so long after a response a node acts on what it knows of a bucket that other nodes spend from too. */
const FRESH_MS = 250
/** So long the other calls wait for the response of the one that asks how full the bucket is. */
const ASK_MS = 1_000
/** Timers cannot be longer than 24 days. */
const MAX_TIMER_MS = 60_000

/**
 * The cost budget of one store as this node sees it, kept up to date from responses, so that many calls at once queue for
 * points instead of all being THROTTLED. Every node has one for the same bucket: of the points that are left each counts on
 * its share, and the next response shows what the others have not used. So the nodes need not ask each other, and one whose
 * peers are idle gets nearly all.
 */
export class CostBudget {
  readonly #nodes: () => number
  #bucket: { maximum: number; restorePerMs: number; available: number; at: number } | null = null
  /** Points of the calls that are under way, which the number in a response may not include yet. */
  #underWay = 0
  /** Points of the calls that wait. */
  #awaited = 0
  readonly #waiting: Waiting[] = []
  #nextTry: NodeJS.Timeout | undefined
  /** The instant of the last response; ahead while the call that asks is under way. */
  #knownAt = Number.NEGATIVE_INFINITY
  #isUsed = true

  /** `nodes` tells how many nodes spend from the bucket, this one included. */
  constructor(nodes: () => number = () => 1) {
    this.#nodes = nodes
  }

  /**
   * Waits until there are points for a call and reserves them; calls get them in their order, and one that `isRepeated`
   * before all others. False, with nothing reserved, when that takes longer than `patienceMs`; `waitFor` returns the wait.
   */
  async take(cost: number, patienceMs: number, isRepeated = false): Promise<boolean> {
    this.#isUsed = true
    const isNext = isRepeated || this.#waiting.length === 0
    if (isNext && this.#delay(cost) === 0) {
      this.#reserve(cost)
      return true
    }
    if (this.waitFor(cost, isRepeated) > patienceMs) return false
    return new Promise((resolve) => {
      const call = { cost, resolve, patience: setTimeout(() => this.#giveUp(call), Math.ceil(patienceMs)) }
      this.#awaited += cost
      if (isRepeated) this.#waiting.unshift(call)
      else this.#waiting.push(call)
      this.#serve()
    })
  }

  /**
   * Waits until a call would leave half of the bucket to others, and reserves nothing; one that costs more than that half waits
   * for a full bucket. False when that takes longer than `patienceMs`.
   */
  async untilSpare(cost: number, patienceMs: number): Promise<boolean> {
    this.#isUsed = true
    const deadline = performance.now() + patienceMs
    for (;;) {
      const delayMs = this.#spareDelay(cost)
      if (delayMs === 0) return true
      if (performance.now() + delayMs > deadline) return false
      await sleep(Math.ceil(delayMs))
    }
  }

  /** How long another call would wait for its points at least, in milliseconds: if no other node takes any. */
  waitFor(cost: number, isRepeated = false): number {
    const bucket = this.#refill()
    if (!bucket) return 0
    const before = this.#underWay + (isRepeated ? 0 : this.#awaited)
    const missing = Math.min(cost, bucket.maximum) + before - bucket.available
    return Math.max(0, Math.ceil(missing / bucket.restorePerMs))
  }

  /** Ends the reservation of a call that has its response; `status` is the bucket as that response states it. */
  settle(cost: number, status: ThrottleStatus | null): void {
    this.#underWay -= cost
    this.#knownAt = performance.now()
    const bucket = this.#refill()
    if (status && status.restoreRate > 0) {
      this.#bucket = {
        maximum: status.maximumAvailable,
        restorePerMs: status.restoreRate / 1000,
        available: status.currentlyAvailable,
        at: this.#knownAt
      }
    } else if (bucket) bucket.available -= cost
    this.#serve()
  }

  /**
   * Whether it can be dropped: a new one would assume a full bucket too, and no call has used this one since the question
   * was asked before, so that nobody holds on to it.
   */
  isIdle(): boolean {
    const wasUsed = this.#isUsed
    this.#isUsed = false
    const bucket = this.#refill()
    const isFull = !bucket || bucket.available >= bucket.maximum
    return !wasUsed && isFull && this.#underWay === 0 && this.#waiting.length === 0
  }

  /** How long a call must wait that is next, in milliseconds. */
  #delay(cost: number): number {
    const nodes = this.#nodes()
    if (nodes > 1 && this.#knownAt > performance.now()) return this.#knownAt - performance.now()
    const bucket = this.#refill()
    if (!bucket) return 0
    // As much again must be left for each other node. A call that costs more than a share is sent when the bucket is full.
    const needed = Math.min(cost * nodes, bucket.maximum)
    const missing = needed + this.#underWay * nodes - bucket.available
    return Math.max(0, missing / bucket.restorePerMs)
  }

  #spareDelay(cost: number): number {
    const bucket = this.#refill()
    if (!bucket) return 0
    const needed = Math.min(cost + bucket.maximum / 2, bucket.maximum)
    const missing = needed + this.#underWay + this.#awaited - bucket.available
    return Math.max(0, missing / bucket.restorePerMs)
  }

  #reserve(cost: number): void {
    const now = performance.now()
    // Other nodes may have emptied the bucket meanwhile: this call asks.
    if (now - this.#knownAt > FRESH_MS) this.#knownAt = now + ASK_MS
    this.#underWay += cost
  }

  /** Lets calls go in their order, as far as the points reach, and comes back when the next one can go. */
  #serve(): void {
    clearTimeout(this.#nextTry)
    for (let call = this.#waiting[0]; call; call = this.#waiting[0]) {
      const delayMs = this.#delay(call.cost)
      if (delayMs > 0) {
        this.#nextTry = setTimeout(() => this.#serve(), Math.min(Math.ceil(delayMs), MAX_TIMER_MS))
        return
      }
      this.#leave(call, true)
      this.#reserve(call.cost)
    }
  }

  #giveUp(call: Waiting): void {
    this.#leave(call, false)
    this.#serve()
  }

  #leave(call: Waiting, isReserved: boolean): void {
    this.#waiting.splice(this.#waiting.indexOf(call), 1)
    this.#awaited -= call.cost
    clearTimeout(call.patience)
    call.resolve(isReserved)
  }

  #refill() {
    const bucket = this.#bucket
    if (bucket) {
      const now = performance.now()
      bucket.available = Math.min(bucket.maximum, bucket.available + (now - bucket.at) * bucket.restorePerMs)
      bucket.at = now
    }
    return bucket
  }
}
