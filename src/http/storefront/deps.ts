import type { ExportWorkers, PageCache } from '#exports'
import type { HttpDeps } from '../shared/deps.ts'

/** What routes that stream rows need. */
export type ExportDeps = Pick<HttpDeps, 'db' | 'vault' | 'realNow' | 'dumpWithinMs'> & { exports: ExportWorkers }

export type PageDeps = ExportDeps & { pages: PageCache }
