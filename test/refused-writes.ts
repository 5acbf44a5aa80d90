import pg from 'pg'

/** Runs `work` while the database accepts only rows of the table that meet the condition; others are refused with code 23514. */
export async function whileRefused(
  url: string,
  { table, accepts }: { table: string; accepts: string },
  work: () => Promise<void>
): Promise<void> {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  try {
    await owner.query(`alter table ${table} add constraint refused check (${accepts}) not valid`)
    await work()
  } finally {
    await owner.query(`alter table ${table} drop constraint if exists refused`)
    await owner.end()
  }
}
