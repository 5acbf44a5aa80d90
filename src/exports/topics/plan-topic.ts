import { bool, type Database, row } from '#kit/postgres'
import type { PagePlan, TopicName } from '../endpoint.ts'
import { copiedColumns, formattedColumns } from '../format-fields.ts'
import { scopeOf } from '../pages/page-scope.ts'
import { statementOf } from '../pages/statement-of.ts'
import { topicOf } from './topics.ts'

/** What a dump of a topic of the Collection API copies: all of its rows. Null: the store has none. */
export function planTopic(db: Database, storeId: number, name: TopicName): Promise<PagePlan | null> {
  return db.inStore(storeId, async (ctx) => {
    const topic = topicOf(name)
    const { scope, timeZone } = await scopeOf(ctx, { ids: [] })
    const { found } = await ctx.tx.one(
      row({ found: bool }),
      statementOf(`select exists (select from ${topic.from({ ...scope, store: '$1' })}) as found`, [storeId])
    )
    if (!found) return null
    const columns = formattedColumns(topic.fields, scope)
    return {
      storeId,
      timeZone,
      select: `select ${topic.key ? `${topic.key}, ` : ''}${columns}\n  from ${topic.from(scope)}`,
      columns: copiedColumns(topic.fields),
      head: topic.key ? '{' : '[',
      tail: topic.key ? '}' : ']',
      keyed: topic.key !== undefined
    }
  })
}
