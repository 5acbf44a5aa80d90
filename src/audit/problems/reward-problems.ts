import { type Database, instant, int, row, sql, text } from '#kit/postgres'
import type { Problem } from './problem.ts'

const MAX_PULLS = 100

const FailingPull = row({ storeId: int, key: text, failures: int, failingSince: instant, lastError: text })

/** Integrations of reward points whose balances cannot be pulled; the hundred that have failed longest. Times are real time. */
export async function rewardProblems(
  db: Database,
  storeId: number | null,
  domainOf: (storeId: number) => string
): Promise<Problem[]> {
  const failing = await db.inInstallation((tx) =>
    tx.many(
      FailingPull,
      sql`
      select p.store_id, p.key, p.failures, p.failing_since, p.last_error
        from reward_pulls p join stores s on s.store_id = p.store_id and s.deleting_since is null
       where p.failures > 0 and (${storeId}::bigint is null or p.store_id = ${storeId})
       order by p.failing_since, p.store_id, p.key limit ${MAX_PULLS}`
    )
  )
  return failing.map(({ key, failures, lastError, ...pull }) => ({
    kind: 'rewards_failing',
    store: domainOf(pull.storeId),
    subject: key,
    since: pull.failingSince,
    message: `Pulling the reward points of ${key} failed ${failures === 1 ? 'once' : `${failures} times`}: ${lastError}`,
    next: `Remove the reason. It is tried again by itself, or at once: perennial rewards pull --store ${domainOf(pull.storeId)} --key ${key}`
  }))
}
