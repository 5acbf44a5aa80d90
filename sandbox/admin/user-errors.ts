/** An error in a mutation's payload. The payload's error type decides which of these fields a client can select. */
export type UserError = {
  field: string[] | null
  message: string
  code?: string | null
  elementIndex?: number | null
}

export function userError(field: string[] | null, message: string, code?: string): UserError {
  return { field, message, code, elementIndex: null }
}
