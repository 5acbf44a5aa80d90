/** Something the platform sent is not what its API promises; the message names the field. Repeating will not mend it. */
export class MalformedPayload extends Error {
  readonly field: string

  constructor(field: string, message: string) {
    super(`${field} ${message}`)
    this.name = 'MalformedPayload'
    this.field = field
  }
}
