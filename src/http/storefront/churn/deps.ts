import type { HttpDeps } from '../../shared/deps.ts'
import type { createShownCounts } from './shown-counts.ts'

/** What the routes of the Churn API need. */
export type ChurnDeps = HttpDeps & { shown: ReturnType<typeof createShownCounts> }
