import type { Ctx, Database } from '#kit/postgres'

/** Thrown to undo what a trial has done. */
class Undo extends Error {}

/** Does something in a transaction of the store, and undoes it where it is only tried; returns what it came to. */
export async function workOrTry<T>(
  db: Database,
  storeId: number,
  isTrial: boolean,
  work: (ctx: Ctx) => Promise<T>
): Promise<T> {
  let result: { value: T } | undefined
  try {
    await db.inStore(storeId, async (ctx) => {
      result = { value: await work(ctx) }
      if (isTrial) throw new Undo()
    })
  } catch (err) {
    if (!(err instanceof Undo)) throw err
  }
  return result!.value
}
