import { type Ctx, type Database, row, sql, text, textList } from '../postgres/index.ts'
import type { Consumer } from './consumer.ts'

/**
 * Makes these consumers, and the facts that they receive, known to all nodes. To be called when a process starts, before it
 * records facts: a node with older code then skips what it does not know.
 */
export async function registerConsumers(
  db: Database,
  consumers: readonly Pick<Consumer, 'name' | 'facts' | 'dropped'>[]
): Promise<void> {
  await db.inInstallation(async (tx) => {
    // A new store takes the same lock: it either sees these consumers, or is committed before `startConsumersInStores` looks.
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('known consumers', 0))`)
    const known = await tx.many(row({ name: text, facts: textList }), sql`select name, facts from known_consumers`)
    for (const { name, facts, dropped } of consumers) {
      const before = known.find((one) => one.name === name)?.facts ?? []
      const all = [...new Set([...before, ...facts])].filter((fact) => !dropped.includes(fact))
      await tx.run(sql`
        insert into known_consumers (name, facts) values (${name}, ${all}::text[])
        on conflict (name) do update set facts = excluded.facts`)
    }
  })
}

/** Keeps `registerConsumers` waiting until the transaction ends, and returns the names of all consumers. */
export async function lockKnownConsumers({ tx }: Ctx): Promise<string[]> {
  await tx.run(sql`select pg_advisory_xact_lock_shared(hashtextextended('known consumers', 0))`)
  const known = await tx.many(row({ name: text }), sql`select name from known_consumers`)
  return known.map(({ name }) => name)
}
