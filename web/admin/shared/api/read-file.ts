import { ApiError } from './errors.ts'
import { send } from './fetch-in-session.ts'

/** A file of the admin API; `path` is below /admin/api. */
export async function readFile(path: string): Promise<Blob> {
  const response = await send(new Request(`/admin/api${path}`))
  if (!response.ok) throw new ApiError(response, await response.json().catch(() => null))
  return response.blob()
}
