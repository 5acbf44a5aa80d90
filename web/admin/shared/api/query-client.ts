import { QueryClient } from '@tanstack/react-query'
import { ApiError, ServiceUnreachable } from './errors.ts'

const MAX_RETRIES = 2
const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 5_000

/** Reads are repeated for as long as the service does not answer, and twice where it has failed; never where it has refused. */
export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, err) => {
          if (err instanceof ServiceUnreachable) return true
          return failures < MAX_RETRIES && !(err instanceof ApiError && err.status < 500)
        },
        retryDelay: (failures) => Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS),
        // The service is often on this machine or in this network, where browsers do not know whether there is a way to it.
        networkMode: 'always'
      },
      // Nobody knows whether a change that got no answer was made: whoever asked for it decides.
      mutations: { retry: false, networkMode: 'always' }
    }
  })
