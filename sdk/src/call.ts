import type { ApiResponse } from './api-response.ts'

// biome-ignore lint/suspicious/noExplicitAny: as a promise's own reasons, so that handlers may say what they take.
export type Reason = any

/** A running request. Await it for the object; `withResponse` adds the request id and the rate limit. */
export class Call<Data> implements Promise<Data> {
  readonly [Symbol.toStringTag] = 'Call'
  readonly #response: Promise<ApiResponse<Data>>

  constructor(response: Promise<ApiResponse<Data>>) {
    this.#response = response
  }

  withResponse(): Promise<ApiResponse<Data>> {
    return this.#response
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  then<A = Data, B = never>(
    onData?: ((data: Data) => A | PromiseLike<A>) | null,
    onError?: ((reason: Reason) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    return this.#response.then(({ data }) => data).then(onData, onError)
  }

  catch<B = never>(onError?: ((reason: Reason) => B | PromiseLike<B>) | null): Promise<Data | B> {
    return this.then(null, onError)
  }

  finally(onEnd?: (() => void) | null): Promise<Data> {
    return this.then().finally(onEnd)
  }
}
