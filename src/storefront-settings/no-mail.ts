import type { FieldProblem } from '#kit/refusal'

/** Codes are sent by the operator's mail server, which this version does not know yet: what needs it cannot be switched on. */
export const noMail = (field: string): FieldProblem => ({
  field,
  code: 'invalid',
  message: 'must be 0: this version sends no mail, and customers would wait for a code that never comes'
})
