import type { CountAddress } from '../../rate-limits/address-limiter.ts'
import type { HttpDeps } from '../../shared/deps.ts'
import type { createShownCounts } from './shown-counts.ts'

/** What the routes of the Churn API need. `reads`: counts what customers read, by store and customer. */
export type ChurnDeps = HttpDeps & { shown: ReturnType<typeof createShownCounts>; reads: CountAddress }
