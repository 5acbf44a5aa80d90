import { testHeaders } from './test-headers.ts'
import { verify } from './verify.ts'

/** For receivers of webhooks: needs only WebCrypto, so it runs in Node, in workers and at the edge. */
export const webhooks = { verify, testHeaders }

export { type VerificationFailure, WebhookVerificationError } from './error.ts'
export type { EventNamed, EventType, WebhookEvent } from './events.ts'
export type { HeadersLike } from './headers.ts'
export type { RawBody } from './signatures.ts'
export type { TestHeadersOptions } from './test-headers.ts'
export type { VerifyOptions } from './verify.ts'
