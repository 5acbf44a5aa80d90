import { isEmbedded } from '../../shared/api/embedding.ts'
import { ApiError } from '../../shared/api/errors.ts'
import { send } from '../../shared/api/fetch-in-session.ts'
import { signedIn } from '../../shared/api/session-gate.ts'

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

export type FileFormat = keyof typeof TYPES

export const formatOf = (name: string): FileFormat => (/\.(ndjson|jsonl)$/i.test(name) ? 'ndjson' : 'csv')

/**
 * Sends a file, which may be large, and returns the body of the answer; `path` is below /admin/api. Its request is made anew where somebody has to sign
 * in first, so that no copy is kept.
 */
export async function putFile(path: string, format: FileFormat, file: File): Promise<unknown> {
  const headers = { 'content-type': TYPES[format] }
  const response = await send(new Request(`/admin/api${path}`, { method: 'PUT', headers, body: file }))
  if (response.status === 401 && !isEmbedded) {
    await signedIn()
    return putFile(path, format, file)
  }
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw new ApiError(response, body)
  return body
}
