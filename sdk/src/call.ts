import type { Answer } from './answer.ts'

// biome-ignore lint/suspicious/noExplicitAny: as a promise's own reasons, so that handlers may say what they take.
export type Reason = any

/** A running request. Await it for the object; `withResponse` adds the request id and the rate limit. */
export class Call<Data> implements Promise<Data> {
  readonly [Symbol.toStringTag] = 'Call'
  readonly #answer: Promise<Answer<Data>>

  constructor(answer: Promise<Answer<Data>>) {
    this.#answer = answer
  }

  withResponse(): Promise<Answer<Data>> {
    return this.#answer
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  then<A = Data, B = never>(
    onData?: ((data: Data) => A | PromiseLike<A>) | null,
    onError?: ((reason: Reason) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(onData, onError)
  }

  catch<B = never>(onError?: ((reason: Reason) => B | PromiseLike<B>) | null): Promise<Data | B> {
    return this.then(null, onError)
  }

  finally(onEnd?: (() => void) | null): Promise<Data> {
    return this.then().finally(onEnd)
  }
}
