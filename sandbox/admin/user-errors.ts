/** A "no" inside a mutation's payload. Which fields it has depends on the payload's error type; the rest is not selected. */
export type UserError = { field: string[] | null; message: string; code?: string; elementIndex?: number | null }

export function userError(field: string[] | null, message: string, code?: string): UserError {
  return { field, message, code, elementIndex: null }
}
