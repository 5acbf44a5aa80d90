import type { Database } from '#kit/postgres'
import type { Connector } from '#platform'

/** What reading and pushing through the connector needs. `connectorOf` refuses when the store is disconnected. */
export type SyncDeps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }
