import type { QueryClient } from '@tanstack/react-query'
import { openGate } from '../../shared/api/session-gate.ts'
import { findMe } from '../../shared/session/auth.ts'
import { meQuery } from '../../shared/session/me.ts'

/**
 * Lets the requests that wait for a session go on, when there is one again. Whoever is somebody else gets a new page: what the one before
 * has begun is not done in their name.
 */
export async function passGate(queries: QueryClient): Promise<void> {
  const before = queries.getQueryData(meQuery.queryKey)
  const me = await findMe()
  if (!me) return
  if (before && before.person?.id !== me.person?.id) return location.reload()
  if (before) queries.setQueryData(meQuery.queryKey, me)
  openGate()
}
