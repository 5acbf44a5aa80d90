import { type Ctx, int, nullable, row, sql, text } from '#kit/postgres'

/** More new facts than this are not looked through: everything may have changed. */
const MAX_FACTS = 2_000

/** Which facts of a store are known: all up to a position, and these of the ones that had no position yet. */
export type FactCursor = { position: number; open: ReadonlySet<number> }

/** Whom and what facts are about: customers and orders, by their internal ids. */
export type Subjects = { members: Set<number>; orders: Set<number> }

/** `subjects` null: too much happened to say, or something that is about nobody in particular. */
export type FactsSince = { cursor: FactCursor | null; subjects: Subjects | null }

const Fact = row({ id: int, position: nullable(int), orderingKey: text, refs: text })

/**
 * What the facts say that were committed after those of `cursor`. The returned `cursor` is null where so many facts wait for their position
 * that nobody can tell later which were known.
 */
export async function readFactsSince(ctx: Ctx, cursor: FactCursor | null): Promise<FactsSince> {
  const { tx, storeId } = ctx
  const from = cursor?.position ?? Number.MAX_SAFE_INTEGER
  // One statement, so that no fact gets its position between the two reads.
  const facts = await tx.many(
    Fact,
    sql`
    select n.id, n.position, n.ordering_key, n.refs::text as refs from (
      (select id, position, ordering_key, refs from facts
        where store_id = ${storeId} and position is not null and position > ${from} order by position limit ${MAX_FACTS + 1})
      union all
      (select id, null, ordering_key, refs from facts where store_id = ${storeId} and position is null limit ${MAX_FACTS + 1})
      union all
      (select 0, position, '', '{}' from facts
        where store_id = ${storeId} and position is not null order by position desc limit 1)) n`
  )
  const last = facts.find(({ id }) => id === 0)?.position ?? 0
  const found = facts.filter(({ id }) => id !== 0)
  const open = found.filter(({ position }) => position === null).map(({ id }) => id)
  const next = open.length > MAX_FACTS ? null : { position: last, open: new Set(open) }
  if (!cursor || !next) return { cursor: next, subjects: null }
  // Positions follow each other: where some are missing, facts were removed, or positions were left out.
  const positioned = found.filter(({ position }) => position !== null)
  if (positioned.length !== last - cursor.position) return { cursor: next, subjects: null }
  return { cursor: next, subjects: subjectsOf(found.filter(({ id }) => !cursor.open.has(id))) }
}

function subjectsOf(facts: { orderingKey: string; refs: string }[]): Subjects | null {
  const subjects: Subjects = { members: new Set(), orders: new Set() }
  for (const { orderingKey, refs } of facts) {
    const [, kind, id] = /^(member|order):(\d+)$/.exec(orderingKey) ?? []
    if (!kind) return null
    subjects[kind === 'member' ? 'members' : 'orders'].add(Number(id))
    for (const [name, value] of Object.entries(JSON.parse(refs) as Record<string, number>)) {
      if (name === 'memberId' || name.endsWith('MemberId')) subjects.members.add(value)
      else if (name === 'orderId') subjects.orders.add(value)
    }
  }
  return subjects
}
