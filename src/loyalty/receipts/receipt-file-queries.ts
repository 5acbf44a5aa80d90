import { type Ctx, row, sql, text } from '#kit/postgres'

/** A file that is about to be written: what is not kept by then is removed. */
export async function insertFile(ctx: Ctx, name: string, dueAt: Temporal.Instant): Promise<void> {
  await ctx.tx.run(sql`
    insert into loyalty_receipt_files (store_id, name, due_at) values (${ctx.storeId}, ${name}, ${dueAt})`)
}

/** Keeps a file for its receipt. False where it came too late, and the file is being removed. */
export async function keepFile(ctx: Ctx, name: string, receiptId: number): Promise<boolean> {
  const kept = await ctx.tx.run(sql`
    update loyalty_receipt_files set state = 'kept', receipt_id = ${receiptId}, due_at = null
     where store_id = ${ctx.storeId} and name = ${name} and state = 'storing'`)
  return kept > 0
}

/** Has a file removed that nobody keeps. */
export async function discardFile(ctx: Ctx, name: string): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_receipt_files set due_at = ${ctx.now}
     where store_id = ${ctx.storeId} and name = ${name} and state = 'storing'`)
}

/** Has the file of a receipt removed at a time, or never. */
export async function keepFileUntil(ctx: Ctx, receiptId: number, dueAt: Temporal.Instant | null): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_receipt_files set due_at = ${dueAt}
     where store_id = ${ctx.storeId} and receipt_id = ${receiptId} and state = 'kept'`)
}

/** Files that are to be removed: from now on no receipt can keep them. */
export async function claimDueFiles(ctx: Ctx, limit: number): Promise<string[]> {
  const due = await ctx.tx.many(
    row({ name: text }),
    sql`
    update loyalty_receipt_files set state = 'removing', receipt_id = null
     where store_id = ${ctx.storeId} and name in (
       select name from loyalty_receipt_files
        where store_id = ${ctx.storeId} and due_at <= ${ctx.now} order by due_at limit ${limit} for update skip locked)
    returning name`
  )
  return due.map(({ name }) => name)
}

/** After the files are gone. */
export async function deleteFiles(ctx: Ctx, names: string[]): Promise<void> {
  await ctx.tx.run(sql`
    delete from loyalty_receipt_files
     where store_id = ${ctx.storeId} and name = any(${names}::text[]) and state = 'removing'`)
}
