import { LOCKS } from './advisory-locks.ts'
import type { NodeSession, SessionPart } from './node-session.ts'

// Each node holds the lock on its id by one backend; a release of dead leases briefly holds those of several dead nodes.
const COUNT_NODES = `
  select count(distinct pid)::int as nodes from pg_locks
   where locktype = 'advisory' and classid = $1 and objsubid = 2 and granted
     and database = (select oid from pg_database where datname = current_database())`

/**
 * How many nodes live, this one included: as many as hold the lock on their id. Counted when the session opens and with each
 * of its heartbeats; between them a number that is wrong must do no harm.
 */
export function createNodeCount(query: NodeSession['query']): { nodes(): number; part: SessionPart } {
  let nodes = 1
  const count = async (ask: NodeSession['query']) => {
    const { rows } = await ask(COUNT_NODES, [LOCKS.node])
    nodes = Math.max(1, rows[0].nodes)
  }
  return {
    nodes: () => nodes,
    part: {
      opened: (session) => count((text, values) => session.query(text, values)),
      heartbeat: () => count(query)
    }
  }
}
