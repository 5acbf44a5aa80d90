import { type Database, int, row, sql, text } from '#kit/postgres'

const Waiting = row({ storeId: int, list: text })
const RolledUp = row({ rolledUp: int })

/** How many changes one transaction rolls up, so that none takes long. */
const MAX_CHANGES = 20_000

/** The size of the parts of a list: rows of a block, blocks of a chapter. Tests use small ones. */
type Cut = { blockRows: number; chapterBlocks: number; max: number }

/**
 * Rolls up the waiting changes of lists into their stored counts, for every store. Totals are exact without it, but slower the
 * more changes wait. Skips a list that another process is rolling up. A list that fails does not delay the others: its error is
 * thrown at the end, in an AggregateError. Returns how many changes were rolled up.
 */
export async function rollUpTotals(db: Database, cut: Partial<Cut> = {}): Promise<number> {
  const { blockRows = 1024, chapterBlocks = 32, max = MAX_CHANGES } = cut
  // A list whose mark can advance is rolled up too, although nothing waits: readers then begin after the mark.
  const waiting = await db.inInstallation((tx) =>
    tx.many(
      Waiting,
      sql`
      select s.store_id, l.list
        from stores s
       cross join (values ('members'), ('subscriptions'), ('billing_attempts')) l(list)
        left join lateral (
               select m.rolled_up_to, m.taken_to from rollup_marks m where m.store_id = s.store_id and m.changes = l.list
                order by m.rolled_up_to desc limit 1) m on true
       where s.deleting_since is null
         and (m.rolled_up_to < m.taken_to
              or exists (
                   select from list_changes c
                    where c.store_id = s.store_id and c.list = l.list and c.change_id > coalesce(m.rolled_up_to, 0)))
       order by 1, 2`
    )
  )
  let total = 0
  const failures: Error[] = []
  for (const { storeId, list } of waiting) {
    try {
      for (let rolledUp = max; rolledUp === max; total += rolledUp) {
        const done = await db.inInstallation((tx) =>
          tx.one(
            RolledUp,
            sql`select roll_up_list_totals(${storeId}, ${list}, ${max}, ${blockRows}, ${chapterBlocks}) as rolled_up`
          )
        )
        rolledUp = done.rolledUp
      }
    } catch (err) {
      failures.push(new Error(`${list} of store_${storeId}: ${(err as Error).message}`, { cause: err }))
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join('; '))
  return total
}
