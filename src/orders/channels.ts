import { type Ctx, row, sql, text } from '#kit/postgres'

/** The names of apps that are known, by the app's id. */
export async function findChannels(ctx: Ctx, appIds: string[]): Promise<Map<string, string>> {
  const rows = await ctx.tx.many(
    row({ appId: text, name: text }),
    sql`select app_id, name from sales_channels where store_id = ${ctx.storeId} and app_id = any(${appIds}::text[])`
  )
  return new Map(rows.map(({ appId, name }) => [appId, name]))
}

/** Remembers the names of apps, and gives them to the orders that came before their name was known. */
export async function recordChannels(ctx: Ctx, names: Map<string, string>): Promise<void> {
  const apps = { ids: [...names.keys()], names: [...names.values()] }
  const added = await ctx.tx.many(
    row({ appId: text }),
    sql`
    insert into sales_channels (store_id, app_id, name)
    select ${ctx.storeId}, a.app_id, a.name
      from unnest(${apps.ids}::text[], ${apps.names}::text[]) as a(app_id, name) order by a.app_id
    on conflict (store_id, app_id) do nothing
    returning app_id`
  )
  if (added.length === 0) return
  await ctx.tx.run(sql`
    update orders o set channel = c.name, updated_at = ${ctx.now}
      from unnest(${apps.ids}::text[], ${apps.names}::text[]) as c(app_id, name)
     where o.store_id = ${ctx.storeId} and o.app_id = c.app_id and o.app_id is not null and o.channel is null`)
}
