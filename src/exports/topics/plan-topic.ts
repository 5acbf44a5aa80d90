import { bool, type Database, row } from '#kit/postgres'
import type { PagePlan, TopicName } from '../endpoint.ts'
import { copiedColumns, formattedColumns } from '../format-fields.ts'
import { statementOf } from '../pages/find-ids.ts'
import { scopeOf } from '../pages/page-scope.ts'
import { topicOf } from './topics.ts'

/** What a dump of a topic of the Collection API copies: all of its rows. Null: the store has none. */
export function planTopic(db: Database, storeId: number, name: TopicName): Promise<PagePlan | null> {
  return db.inStore(storeId, async (ctx) => {
    const topic = topicOf(name)
    const { scope, timeZone } = await scopeOf(ctx, { ids: [] })
    const from = topic.from(scope)
    const { found } = await ctx.tx.one(
      row({ found: bool }),
      statementOf(`select exists (select from ${from.slice(0, from.lastIndexOf('order by'))}) as found`, [])
    )
    if (!found) return null
    const columns = formattedColumns(topic.fields, scope)
    return {
      storeId,
      timeZone,
      select: `select ${topic.key ? `${topic.key}, ` : ''}${columns}\n  from ${from}`,
      columns: copiedColumns(topic.fields),
      head: topic.key ? '{' : '[',
      tail: topic.key ? '}' : ']',
      keyed: topic.key !== undefined
    }
  })
}
