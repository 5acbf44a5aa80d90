/** Thrown when a store has as many exports under way as it may have. Each surface answers with 429 in its own shape. */
export class TooManyExports extends Error {
  readonly retryAfterSeconds: number

  constructor(max: number, retryAfterSeconds: number) {
    super(`Too many exports at once: the limit is ${max} of a store`)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
