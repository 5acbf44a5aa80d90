import type { Database } from '../postgres/index.ts'
import { createLeader } from './leader.ts'
import { type LeaseRelease, newLeaseOwner, releaseDeadLeases } from './lease-owner.ts'
import { createNodeCount } from './node-count.ts'
import { type NodeSession, openNodeSession, type SessionPart } from './node-session.ts'
import { createStoreHolds, type StoreHolds } from './store-holds.ts'
import { listenForWork } from './work-signals.ts'

/** This process among the nodes of its database. */
export type Node = {
  /** Written into `lease_owner` of what this process works on. */
  id: number
  holds: StoreHolds
  /** How many nodes live, this one included; not older than five seconds while the database answers. */
  nodes(): number
  /** Whether this node does the housekeeping; it takes the lead when nobody has it. */
  leads(): Promise<boolean>
  /** As `releaseDeadLeases`. */
  releaseDeadLeases(releases: readonly LeaseRelease[]): Promise<number>
  /** Gives the identity up: what this node still holds counts as a dead one's from now on. */
  stop(): Promise<void>
}

/** Joins the nodes of this database. `onWork` makes it listen for work that nodes without engines have made. */
export async function startNode(
  db: Database,
  onWork?: { found(storeIds: number[]): void; missed(): void },
  heartbeatMs?: number
): Promise<Node> {
  let session: NodeSession | undefined
  const query: NodeSession['query'] = (text, values) => {
    if (!session) throw new Error('This node is not started yet')
    return session.query(text, values)
  }
  const owner = await newLeaseOwner(db)
  const leader = createLeader(query)
  const holds = createStoreHolds(db, query)
  const counter = createNodeCount(query)
  const parts: SessionPart[] = [owner.part, leader.part, holds.part, counter.part]
  if (onWork) parts.push(listenForWork(onWork))
  session = await openNodeSession(db, parts, heartbeatMs)
  const opened = session
  await counter.count().catch(async (err) => {
    // It would be opened again for ever, and this process would not end.
    await opened.close()
    throw err
  })
  return {
    id: owner.id,
    holds,
    nodes: counter.nodes,
    leads: leader.leads,
    releaseDeadLeases: (releases) => releaseDeadLeases(db, owner.id, releases),
    async stop() {
      await holds.close()
      await opened.close()
    }
  }
}
