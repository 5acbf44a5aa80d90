/** Thrown when a store has as many exports under way as it may have. Each surface answers with 429 in its own shape. */
export class TooManyExports extends Error {
  /** A page takes a tenth of a second, and a store may wait for a whole one. */
  readonly retryAfterSeconds = 1

  constructor(max: number) {
    super(`Too many exports at once: the limit is ${max} of a store`)
  }
}
