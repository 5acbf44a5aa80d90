import { PerennialError } from '../errors.ts'

export type VerificationFailure =
  | 'signature_missing'
  | 'signature_wrong'
  | 'timestamp_missing'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'body_not_an_event'

/** The delivery is not proven to come from the service, or it is too old. Return 401. */
export class WebhookVerificationError extends PerennialError {
  override name = 'WebhookVerificationError'
  readonly reason: VerificationFailure

  constructor(reason: VerificationFailure, message: string) {
    super(message)
    this.reason = reason
  }
}
