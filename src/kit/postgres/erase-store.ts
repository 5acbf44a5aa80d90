import { createHash } from 'node:crypto'
import type { Database } from './database.ts'
import type { Tx } from './queries.ts'
import { bool, type RowOf, row, text, textList } from './row.ts'
import { type Statement, sql } from './sql.ts'

/** How many rows of a store one transaction removes. */
const BATCH = 1_000
/** From so many removed rows on a table is vacuumed before those that it refers to. */
const VACUUM_FROM_ROWS = 5_000

const Table = row({
  /** As a statement names it. */
  name: text,
  /** The columns of its primary key behind store_id, and their types. */
  key: textList,
  types: textList,
  /** Columns in which its rows refer to others of the table. */
  selfReferences: textList,
  /** The tables that its rows refer to. */
  refersTo: textList,
  isPartitioned: bool
})
export type StoreTable = RowOf<typeof Table>

/**
 * Every table of the schema with rows of stores, in an order in which nothing refers to what was removed before. It is read from
 * the catalog, so that no table can be forgotten. The table of the stores themselves is not among them.
 */
export async function listStoreTables(tx: Tx, schema: string): Promise<StoreTable[]> {
  const tables = await tx.many(
    Table,
    sql`
    select c.oid::regclass::text as name,
           array(select quote_ident(a.attname)
                   from pg_index i
                  cross join unnest(i.indkey) with ordinality as k(attnum, place)
                   join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
                  where i.indrelid = c.oid and i.indisprimary and a.attname <> 'store_id'
                  order by k.place)::text[] as key,
           array(select format_type(a.atttypid, a.atttypmod)
                   from pg_index i
                  cross join unnest(i.indkey) with ordinality as k(attnum, place)
                   join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
                  where i.indrelid = c.oid and i.indisprimary and a.attname <> 'store_id'
                  order by k.place)::text[] as types,
           array(select distinct quote_ident(a.attname)
                   from pg_constraint f
                   join pg_attribute a on a.attrelid = f.conrelid and a.attnum = any(f.conkey)
                  where f.conrelid = c.oid and f.confrelid = c.oid and f.contype = 'f' and a.attname <> 'store_id'
                )::text[] as self_references,
           array(select distinct f.confrelid::regclass::text
                   from pg_constraint f
                  where f.conrelid = c.oid and f.confrelid <> c.oid and f.contype = 'f')::text[] as refers_to,
           c.relkind = 'p' as is_partitioned
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname = ${schema}
      join pg_attribute s on s.attrelid = c.oid and s.attname = 'store_id' and not s.attisdropped
     where c.relkind in ('r', 'p') and not c.relispartition and c.relname not in ('stores', 'shops')
     order by 1`
  )
  return referringFirst(tables)
}

/** A table comes before those that it refers to. */
function referringFirst(tables: StoreTable[]): StoreTable[] {
  const sorted: StoreTable[] = []
  let rest = tables
  while (rest.length > 0) {
    const free = rest.filter(({ name }) => !rest.some(({ refersTo }) => refersTo.includes(name)))
    if (free.length === 0)
      throw new Error(`These tables refer to each other: ${rest.map(({ name }) => name).join(', ')}`)
    sorted.push(...free)
    rest = rest.filter((table) => !free.includes(table))
  }
  return sorted
}

/**
 * Removes every row of the store in the schema but that of the store itself, in transactions of at most `batch` rows of a table
 * (of a partitioned one, too: its key has the partition's). It may end at any point and be repeated; `mayGoOn` is asked
 * before each transaction. Returns how many rows it removed.
 *
 * PostgreSQL looks for what refers to each row that it removes. Where no index has the reference, it steps over all rows of the
 * store that were just removed there, until a vacuum has taken them out of the index: hence one in between. It is not needed for
 * the outcome, so it may fail.
 */
export async function eraseStoreRows(
  db: Pick<Database, 'inInstallation' | 'session'>,
  {
    schema,
    storeId,
    batch = BATCH,
    vacuumFromRows = VACUUM_FROM_ROWS,
    mayGoOn = () => true
  }: { schema: string; storeId: number; batch?: number; vacuumFromRows?: number; mayGoOn?: () => boolean }
): Promise<number> {
  let erased = 0
  for (const table of await db.inInstallation((tx) => listStoreTables(tx, schema))) {
    let ofTable = 0
    for (let last = batch; last >= batch && mayGoOn(); ofTable += last) {
      last = await db.inInstallation((tx) => eraseBatch(tx, table, storeId, batch))
    }
    erased += ofTable
    const isReferring = table.refersTo.length > 0 && !table.isPartitioned
    if (isReferring && ofTable >= vacuumFromRows && mayGoOn()) await vacuum(db, table.name).catch(() => {})
  }
  return erased
}

async function vacuum(db: Pick<Database, 'session'>, name: string): Promise<void> {
  const session = await db.session()
  try {
    // The owner may do it, which has applied the migrations with the same login.
    await session.query('reset role')
    await session.query(`vacuum (index_cleanup on) ${name}`)
  } finally {
    await session.end()
  }
}

/** The last rows by the order of the key, which an index has: a batch costs the same however many rows there are. */
async function eraseBatch(tx: Tx, table: StoreTable, storeId: number, batch: number): Promise<number> {
  const { name, key, types, selfReferences } = table
  if (key.length === 0) return tx.run(statement(`delete from ${name} where store_id = $1`, [storeId]))
  // Rows may refer to later ones of the same table, which go first.
  for (const column of selfReferences) {
    const columns = key.join(', ')
    await tx.run(
      statement(
        `update ${name} set ${column} = null where store_id = $1 and ${column} is not null and (${columns}) in
          (select ${columns} from ${name} where store_id = $1 and ${column} is not null limit $2)`,
        [storeId, batch]
      )
    )
  }
  const shown = key.map((column) => `${column}::text`).join(', ')
  const order = ['store_id', ...key].map((column) => `${column} desc`).join(', ')
  const first = await tx.maybeOne(
    row({ key: textList }),
    statement(`select array[${shown}] as key from ${name} where store_id = $1 order by ${order} offset $2 limit 1`, [
      storeId,
      batch - 1
    ])
  )
  if (!first) return tx.run(statement(`delete from ${name} where store_id = $1`, [storeId]))
  const values = types.map((type, i) => `$${i + 2}::text::${type}`).join(', ')
  return tx.run(
    statement(`delete from ${name} where store_id = $1 and (${key.join(', ')}) >= (${values})`, [storeId, ...first.key])
  )
}

function statement(words: string, values: unknown[]): Statement {
  return { name: `e_${createHash('sha1').update(words).digest('base64url').slice(0, 20)}`, text: words, values }
}

/** Gives all rows of a store in a schema whose tables refer to no other to another store, which has none there yet. */
export async function moveStoreRows(
  tx: Tx,
  { schema, storeId, to }: { schema: string; storeId: number; to: number }
): Promise<void> {
  for (const { name } of await listStoreTables(tx, schema)) {
    const text = `update ${name} set store_id = $2 where store_id = $1`
    await tx.run({ name: `move_${name}`, text, values: [storeId, to] })
  }
}
