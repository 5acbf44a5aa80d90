import { realNow } from '#kit/clock'
import { type Database, instant, int, nullable, type RowOf, row, sql, text, textList } from '#kit/postgres'

/** A change by the admin API: by whom, what, when, from where. */
export const LoggedChange = row({
  id: int,
  changedAt: instant,
  requestId: text,
  personId: nullable(text),
  personName: nullable(text),
  operation: text,
  path: text,
  storeNumber: nullable(int),
  fields: textList,
  ipAddress: text,
  userAgent: nullable(text),
  status: nullable(int)
})
export type LoggedChange = RowOf<typeof LoggedChange>

export type NewLoggedChange = Omit<LoggedChange, 'id' | 'changedAt' | 'status'>

/**
 * Notes that a change begins, before anything is changed: one that a dying process leaves half done is known too. Its id. With `status`: one that was
 * answered already.
 */
export async function beginChange(
  db: Database,
  change: NewLoggedChange,
  status: number | null = null
): Promise<number> {
  const { id } = await db.inInstallation((tx) =>
    tx.one(
      row({ id: int }),
      sql`
      insert into team_changes (changed_at, request_id, person_id, person_name, operation, path, store_number, fields, ip_address, user_agent, status)
      values (${realNow()}, ${change.requestId}, ${change.personId}, ${change.personName}, ${change.operation}, ${change.path},
              ${change.storeNumber}, ${change.fields}::text[], ${change.ipAddress}, ${change.userAgent}, ${status})
      returning id`
    )
  )
  return id
}

/** Notes how a change was answered. */
export async function endChange(db: Database, id: number, status: number): Promise<void> {
  await db.inInstallation((tx) => tx.run(sql`update team_changes set status = ${status} where id = ${id}`))
}

/** Changes, the newest first; of one store when it is given. `before` is the id after which the last page ended. */
export function listLoggedChanges(
  db: Database,
  { storeNumber, before, limit }: { storeNumber: number | null; before: number | null; limit: number }
): Promise<LoggedChange[]> {
  return db.inInstallation((tx) =>
    storeNumber === null
      ? tx.many(
          LoggedChange,
          sql`
          select id, changed_at, request_id, person_id, person_name, operation, path, store_number, fields, ip_address, user_agent, status
            from team_changes where ${before}::bigint is null or id < ${before} order by id desc limit ${limit}`
        )
      : tx.many(
          LoggedChange,
          sql`
          select id, changed_at, request_id, person_id, person_name, operation, path, store_number, fields, ip_address, user_agent, status
            from team_changes where store_number = ${storeNumber} and (${before}::bigint is null or id < ${before})
           order by id desc limit ${limit}`
        )
  )
}

/** What a request changed. */
export function listChangesOfRequest(db: Database, requestId: string): Promise<LoggedChange[]> {
  return db.inInstallation((tx) =>
    tx.many(
      LoggedChange,
      sql`
      select id, changed_at, request_id, person_id, person_name, operation, path, store_number, fields, ip_address, user_agent, status
        from team_changes where request_id = ${requestId} order by id desc`
    )
  )
}
