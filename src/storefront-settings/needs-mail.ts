import type { FieldProblem } from '#kit/refusal'
import type { Means } from './define-storefront-setting.ts'

/** Codes are sent by the operator's mail server: without one, what needs it cannot be switched on. */
export const needsMail = (field: string, isOn: boolean, { canMail }: Means): FieldProblem | null =>
  !isOn || canMail
    ? null
    : {
        field,
        code: 'invalid',
        message:
          'must be 0 until the service has a mail server (SMTP_URL and MAIL_FROM): customers would wait for a code that never comes'
      }
