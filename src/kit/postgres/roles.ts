import type pg from 'pg'
import { OPERATOR_ROLE, STORE_ROLE } from './database.ts'

/**
 * Makes the two roles that the service's connections take, if they do not exist. Roles belong to the whole server and two
 * databases may start at once, so "already there" is no error. Their rights must be inherited: row-level security shows
 * the owner of the tables nothing but by the operator role's policy, and a migration that moves rows would find none.
 */
export async function makeRoles(client: pg.Client): Promise<void> {
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
      if (!(await has(role))) throw new Error('it does not inherit its rights')
    } catch (err) {
      throw new Error(
        `The database user may not make the role ${role} (${(err as Error).message}); let an administrator run: ` +
          `create role ${role} nologin; alter role <the user of DATABASE_URL> inherit; grant ${role} to <the user of DATABASE_URL>`
      )
    }
  }
}
