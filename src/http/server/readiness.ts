import type { NodeClock } from '#kit/engines'
import type { DatabaseState } from '#kit/postgres'

/** What `/readyz` says: whether the database can be worked with, writes included, and whether this node's clock is right. */
export async function readiness(
  database: Pick<DatabaseState, 'trouble'>,
  clock: Pick<NodeClock, 'isRight' | 'problem'>
) {
  const trouble = await database.trouble()
  const checks = { database: trouble?.message ?? 'ok', clock: clock.isRight() ? 'ok' : clock.problem()! }
  return { ready: Object.values(checks).every((check) => check === 'ok'), checks }
}
