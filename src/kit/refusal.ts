export type RefusalCode =
  | 'invalid_request'
  | 'authentication_failed'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'unavailable'

/** What is wrong with a field, for programs. */
export const PROBLEM_CODES = {
  required: 'it is missing',
  invalid: 'its value is not accepted, or a rule refuses it',
  unknown: 'there is no such field here',
  not_found: 'it names nothing in the store'
} as const

/** One field at fault: a parameter of the path or query, a field of the body, a header, or `body` for all of it. */
export type FieldProblem = { field: string; code: keyof typeof PROBLEM_CODES; message: string }

/**
 * An expected error: the request cannot be carried out, and the message says why. It has no HTTP status; each surface has its
 * own table from these codes to statuses. Anything else that is thrown is a bug.
 */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: FieldProblem[]

  constructor(code: RefusalCode, message: string, details: FieldProblem[] = []) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.details = details
  }
}

/** What the request needs is in use by others. Nothing was changed, and the same request can succeed in a moment. */
export class Busy extends Refusal {
  readonly retryAfterSeconds = 2

  constructor(message: string) {
    super('unavailable', message)
  }
}

/** A refusal of one input field: the message names the field and says what it accepts. */
export function invalidField(field: string, message: string, code: FieldProblem['code'] = 'invalid'): Refusal {
  return new Refusal('invalid_request', `${field} ${message}`, [{ field, code, message }])
}

/** A refusal of the body as a whole. */
export function invalidBody(message: string, code: FieldProblem['code'] = 'invalid'): Refusal {
  return new Refusal('invalid_request', `The body ${message}`, [{ field: 'body', code, message }])
}

/** A refusal with all problems of an input, each named by its field. */
export const invalidFields = (problems: FieldProblem[]): Refusal =>
  new Refusal('invalid_request', problems.map((one) => `${one.field} ${one.message}`).join('; '), problems)
