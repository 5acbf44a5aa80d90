import { type Database, int, row, sql, text } from '#kit/postgres'

const Waiting = row({ storeId: int, list: text })
const Folded = row({ folded: int })

/** How many changes one transaction moves, so that none is long. */
const MOST = 20_000

/** How finely lists are cut: rows of a block, blocks of a chapter. Tests cut small ones. */
type Cut = { blockRows: number; chapterBlocks: number; most: number }

/**
 * Moves the changes that wait into the kept counts of the lists, for every store. Answers are right without it, but
 * slower the more changes wait. What another process is folding is left to it. Returns how many were moved.
 */
export async function foldLists(db: Database, cut: Partial<Cut> = {}): Promise<number> {
  const { blockRows = 1024, chapterBlocks = 32, most = MOST } = cut
  const waiting = await db.inInstallation((tx) =>
    tx.many(
      Waiting,
      sql`
      select s.store_id, l.list
        from stores s cross join (values ('members'), ('subscriptions'), ('billing_attempts')) l(list)
       where exists (select from list_changes c where c.store_id = s.store_id and c.list = l.list)`
    )
  )
  let total = 0
  for (const { storeId, list } of waiting) {
    for (let folded = most; folded === most; total += folded) {
      const done = await db.inInstallation((tx) =>
        tx.one(Folded, sql`select fold_list(${storeId}, ${list}, ${most}, ${blockRows}, ${chapterBlocks}) as folded`)
      )
      folded = done.folded
    }
  }
  return total
}
