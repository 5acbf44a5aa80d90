import { LOCKS } from './advisory-locks.ts'
import type { NodeSession, SessionPart } from './node-session.ts'

// Each node holds the lock on its id by one backend; a release of dead leases briefly holds those of several dead nodes.
const COUNT_NODES = `
  select count(distinct pid)::int as nodes from pg_locks
   where locktype = 'advisory' and classid = $1 and objsubid = 2 and granted
     and database = (select oid from pg_database where datname = current_database())`

/** How many nodes live in the database, for who is none of them. */
export async function countLiveNodes(query: NodeSession['query']): Promise<number> {
  const { rows } = await query(COUNT_NODES, [LOCKS.node])
  return rows[0].nodes
}

/**
 * How many nodes live, this one included: as many as hold the lock on their id. Counted at the start and with each heartbeat
 * of the session; between them a number that is wrong must do no harm.
 */
export function createNodeCount(query: NodeSession['query']) {
  let nodes = 1
  const count = async () => {
    nodes = Math.max(1, await countLiveNodes(query))
  }
  const part: SessionPart = { heartbeat: count }
  return { nodes: () => nodes, count, part }
}
