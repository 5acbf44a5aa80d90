import type { Connection } from './connection.ts'
import { asDriverError, NoAnswer } from './outage.ts'

/** What a connection is used for, while it is watched. Times are milliseconds of `performance.now()`. */
export type Asking = {
  readonly connection: Connection
  /** How long the server may owe an answer. */
  readonly answerMs: number
  /** Set while it owes answers to statements that wait for nothing: how long it may owe these. */
  soonMs: number | null
  /** Set for a transaction: how long it may last, which may be for ever. */
  readonly wholeMs: number | null
  readonly beganAt: number
  unanswered: number
  /** Of a connection of single statements: those that wait, the oldest first. */
  readonly waiting: Set<Waiting>
  /** Since when the server owes the oldest answer, or has owed none. */
  since: number
}

type Waiting = { askedAt: number; giveUp: (reason: Error) => void }

/** How often within the shortest limit connections are looked at. */
const LOOKS = 5
const MAX_PAUSE_MS = 500

/**
 * Cuts connections on which the server owes an answer for too long. A socket whose other end is gone looks like one whose server
 * is busy, and no limit of the server's ends that wait. One timer looks at all connections: a timer for each statement would
 * add to the cost of each.
 */
export class AnswerWatch {
  readonly #watched = new Set<Asking>()
  readonly #pauseMs: number
  #timer: NodeJS.Timeout | null = null
  #lookedAt = 0
  #hasWaited = false
  /** When it last turned out that the server could not be reached, and how long it may owe answers from before. */
  #doubt = { atMs: Number.NEGATIVE_INFINITY, answerMs: Number.POSITIVE_INFINITY }
  /** Once the service stops: since when, and how long the server may owe an answer. */
  #shortened = { sinceMs: Number.POSITIVE_INFINITY, answerMs: Number.POSITIVE_INFINITY }

  /** `shortestMs`: the shortest of the limits that are watched. */
  constructor(shortestMs: number) {
    this.#pauseMs = Math.max(5, Math.min(MAX_PAUSE_MS, shortestMs / LOOKS))
  }

  /** Watches a transaction until it is `over`. It began when its caller began to wait for the connection. */
  transaction(connection: Connection, answerMs: number, wholeMs: number, beganAt: number): Asking {
    return this.#watch(connection, answerMs, wholeMs, beganAt)
  }

  /** Watches a connection of single statements until it is `over`. */
  statements(connection: Connection, answerMs: number): Asking {
    return this.#watch(connection, answerMs, null, performance.now())
  }

  over(asking: Asking): void {
    this.#watched.delete(asking)
  }

  /**
   * Runs one statement, whose answer the server owes until then. `soonMs`: it waits for nothing, so that silence says all. What is
   * asked for behind it may wait, and is answered after it.
   */
  async answer<T>(asking: Asking, statement: () => Promise<T>, soonMs: number | null = null): Promise<T> {
    if (asking.unanswered++ === 0) asking.since = performance.now()
    if (soonMs !== null) asking.soonMs = soonMs
    try {
      return await statement()
    } finally {
      asking.unanswered--
      if (soonMs !== null) asking.soonMs = null
      asking.since = performance.now()
    }
  }

  /**
   * Runs one of many statements on a connection. The server answers one after the other, so this one may wait for others that wait
   * for locks: it is given up then, although the connection works. It may still be carried out.
   */
  oneOfMany<T>(asking: Asking, statement: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = { askedAt: performance.now(), giveUp: reject }
      asking.waiting.add(waiting)
      this.answer(asking, statement)
        .then(resolve, reject)
        .finally(() => asking.waiting.delete(waiting))
    })
  }

  /** When it last turned out that the server could not be reached: connections that were idle then may be dead. */
  get doubtedAt(): number {
    return this.#doubt.atMs
  }

  /**
   * The server could not be reached in this time: whoever waits for it now does so no longer than that. Without this the work of
   * engines, which may last long, would find out much later, each by itself.
   */
  doubt(answerMs: number): void {
    this.#doubt = { atMs: performance.now(), answerMs }
  }

  /** From now on the server owes no answer for longer than this, and a transaction lasts at most twice as long. */
  shortenWaits(answerMs: number): void {
    this.#shortened = { sinceMs: performance.now(), answerMs }
  }

  #watch(connection: Connection, answerMs: number, wholeMs: number | null, beganAt: number): Asking {
    const asking = {
      connection,
      answerMs,
      soonMs: null,
      waiting: new Set<Waiting>(),
      wholeMs,
      beganAt,
      unanswered: 0,
      since: performance.now()
    }
    this.#watched.add(asking)
    if (!this.#timer) {
      this.#lookedAt = performance.now()
      this.#timer = setInterval(() => this.#look(), this.#pauseMs).unref()
    }
    return asking
  }

  #look(): void {
    const now = performance.now()
    // This process stood still: the answers may be there, and are read after the timers have run.
    const isLate = now - this.#lookedAt > 2 * this.#pauseMs
    this.#lookedAt = now
    this.#hasWaited = isLate && !this.#hasWaited
    if (this.#hasWaited) return
    const shortened = this.#shortened
    for (const asking of this.#watched) {
      const { unanswered, since, beganAt, wholeMs, soonMs } = asking
      giveUpLate(asking, now)
      const isTransaction = wholeMs !== null
      const { atMs, answerMs: doubtedMs } = this.#doubt
      const inDoubtMs = since <= atMs ? doubtedMs : Number.POSITIVE_INFINITY
      const answerMs = Math.min(soonMs ?? asking.answerMs, shortened.answerMs, inDoubtMs)
      if (unanswered > 0 && now - since >= answerMs) {
        this.#cut(asking, answerMs)
        // Single statements are short: the server would have ended them.
        if (!isTransaction || soonMs !== null) this.doubt(answerMs)
      } else if (isTransaction && now - beganAt >= wholeMs) this.#cut(asking, wholeMs)
      else if (isTransaction && now - Math.max(beganAt, shortened.sinceMs) >= 2 * shortened.answerMs)
        this.#cut(asking, 2 * shortened.answerMs)
    }
    if (this.#watched.size > 0) return
    clearInterval(this.#timer!)
    this.#timer = null
  }

  #cut(asking: Asking, ms: number): void {
    this.#watched.delete(asking)
    asking.connection.cut(new NoAnswer(ms))
  }
}

function giveUpLate({ waiting, answerMs }: Asking, now: number): void {
  for (const one of waiting) {
    if (now - one.askedAt < answerMs) return
    waiting.delete(one)
    one.giveUp(asDriverError(new NoAnswer(answerMs)))
  }
}
