import { nullable, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

const FunctionRow = row({ id: text, handle: text, title: text, apiType: text, description: nullable(text) })
/** A function that the app has brought to a shop. */
export type ShopFunction = RowOf<typeof FunctionRow>

/** All of a shop, in the order of their ids; there are a few. */
export async function listFunctions(q: Queries, storeId: number): Promise<ShopFunction[]> {
  return q.many(
    FunctionRow,
    sql`
    select id::text as id, handle, title, api_type, description
      from sandbox.functions where store_id = ${storeId} order by functions.id`
  )
}

/** Replaces all of a shop. */
export async function writeFunctions(q: Queries, storeId: number, functions: ShopFunction[]): Promise<void> {
  await q.run(sql`delete from sandbox.functions where store_id = ${storeId}`)
  await q.run(sql`
    insert into sandbox.functions (store_id, id, handle, title, api_type, description)
    select ${storeId}, f.id, f.handle, f.title, f."apiType", f.description
      from jsonb_to_recordset(${JSON.stringify(functions)}::jsonb)
           as f(id uuid, handle text, title text, "apiType" text, description text)`)
}
