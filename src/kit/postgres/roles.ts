import type pg from 'pg'
import { OPERATOR_ROLE, STORE_ROLE } from './connections.ts'

/**
 * Creates the two roles that the service's connections use, if they do not exist. Roles belong to the whole server and two
 * databases may start at once, so a duplicate is not an error. The database user must inherit their privileges: row-level security
 * applies to the owner of the tables too, and without the operator role's policy a migration would see no rows.
 */
export async function createRoles(client: pg.Client): Promise<void> {
  const has = async (role: string): Promise<boolean> => {
    const found = await client.query("select pg_has_role(oid, 'usage') as has from pg_roles where rolname = $1", [role])
    return found.rows[0]?.has === true
  }
  for (const role of [STORE_ROLE, OPERATOR_ROLE]) {
    if (await has(role)) continue
    try {
      await client.query(
        `do $$ begin
           if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin; end if;
         exception when duplicate_object or unique_violation then null; end $$`
      )
      await client.query(`grant ${role} to current_user`)
      if (!(await has(role))) throw new Error('the user does not inherit its privileges')
    } catch (err) {
      throw new Error(
        `The database user may not create the role ${role} (${(err as Error).message}); have an administrator run: ` +
          `create role ${role} nologin; alter role <the user of DATABASE_URL> inherit; grant ${role} to <the user of DATABASE_URL>`
      )
    }
  }
}
