/** So many calls of a store may be under way at first. */
const FIRST_LIMIT = 16
const MAX_LIMIT = 64
/** A call that has no answer by then does not keep others from their turn any more. */
const SLOW_MS = 2_000
/** Calls that are slow, above which they count again: a platform that answers nothing gets no more than this. */
const MAX_SLOW = 64

/** A place for one call. `leave` gives it back; `wasThrottled`: the platform had no points for the call. */
export type Place = { leave(wasThrottled: boolean): void }

type Waiting = { patience: NodeJS.Timeout; resolve: (place: Place | null) => void }

/**
 * How many calls of one store may be under way at once, as this node sees it. The number follows the platform: it rises by one with
 * each full round of answers, and is halved when the platform throttles. Calls get their places in their order. One that hangs
 * loses its place after two seconds, so that it holds up no other.
 */
export class CallWindow {
  readonly #slowMs: number
  #limit = FIRST_LIMIT
  /** Places that are taken; those of slow calls apart. */
  #taken = 0
  #slow = 0
  /** The instant since which calls that are throttled tell something new. */
  #halvedAt = Number.NEGATIVE_INFINITY
  readonly #waiting: Waiting[] = []

  constructor(slowMs = SLOW_MS) {
    this.#slowMs = slowMs
  }

  /** How many calls may be under way, slow ones not counted. */
  get limit(): number {
    return Math.floor(this.#limit)
  }

  /** Waits for a place; null when that takes longer than `patienceMs`. A call that `isRepeated` goes before all others. */
  async enter(patienceMs: number, isRepeated = false): Promise<Place | null> {
    const place = isRepeated || this.#waiting.length === 0 ? this.tryEnter() : null
    if (place || patienceMs <= 0) return place
    return new Promise((resolve) => {
      const call = { resolve, patience: setTimeout(() => this.#end(call, null), Math.ceil(patienceMs)) }
      if (isRepeated) this.#waiting.unshift(call)
      else this.#waiting.push(call)
    })
  }

  /** A place that is free now; null when there is none. */
  tryEnter(): Place | null {
    if (this.#taken + Math.max(0, this.#slow - MAX_SLOW) >= this.limit) return null
    return this.#take()
  }

  isIdle(): boolean {
    return this.#taken === 0 && this.#slow === 0 && this.#waiting.length === 0
  }

  #take(): Place {
    this.#taken++
    const enteredAt = performance.now()
    const wasFull = this.#taken >= this.limit
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      this.#taken--
      this.#slow++
      this.#serve()
    }, this.#slowMs).unref()
    return {
      leave: (wasThrottled) => {
        clearTimeout(timer)
        if (isSlow) this.#slow--
        else this.#taken--
        if (wasThrottled) this.#halve(enteredAt)
        else if (wasFull) this.#limit = Math.min(MAX_LIMIT, this.#limit + 1 / this.#limit)
        this.#serve()
      }
    }
  }

  /** Calls that were sent before the limit was halved say nothing of the new one. */
  #halve(enteredAt: number): void {
    if (enteredAt < this.#halvedAt) return
    this.#limit = Math.max(1, this.#limit / 2)
    this.#halvedAt = performance.now()
  }

  #serve(): void {
    for (let call = this.#waiting[0]; call; call = this.#waiting[0]) {
      const place = this.tryEnter()
      if (!place) return
      this.#end(call, place)
    }
  }

  #end(call: Waiting, place: Place | null): void {
    this.#waiting.splice(this.#waiting.indexOf(call), 1)
    clearTimeout(call.patience)
    call.resolve(place)
  }
}
