import type { NodeClock } from '#kit/engines'
import { type Database, databaseState } from '#kit/postgres'

/** What `/readyz` says: whether the database can be worked with, and whether this node's clock is right. */
export async function readiness(db: Database, clock: Pick<NodeClock, 'isRight' | 'problem'>) {
  const checks = { database: await databaseState(db), clock: clock.isRight() ? 'ok' : clock.problem()! }
  return { ready: Object.values(checks).every((check) => check === 'ok'), checks }
}
