import type { TooManyExports } from '#exports'
import { RateLimited } from './rate-limited.ts'

/** A limit on what is under way at once is reached: it is not known when one of them ends. */
export class TooManyAtOnce extends RateLimited {
  readonly retryAfterSeconds: number

  constructor({ message, retryAfterSeconds }: Pick<TooManyExports, 'message' | 'retryAfterSeconds'>) {
    super({ message })
    this.retryAfterSeconds = retryAfterSeconds
  }
}
