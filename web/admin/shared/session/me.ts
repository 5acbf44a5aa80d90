import { queryOptions, useQuery } from '@tanstack/react-query'
import { signedIn } from '../api/session-gate.ts'
import { findMe, type Me } from './auth.ts'

/** Who is signed in. Waits for a sign-in when nobody is. */
export const meQuery = queryOptions({ queryKey: ['me'], queryFn: waitForMe, staleTime: 60_000 })

async function waitForMe(): Promise<Me> {
  const me = await findMe()
  if (me) return me
  await signedIn()
  return waitForMe()
}

export const useMe = () => useQuery(meQuery).data
