import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

export const platformMessagesProcessed = defineAuditRule({
  name: 'platform_messages_processed',
  severity: 'finding',
  help: 'Processing a webhook of the platform failed in every try. The finding has the last error.',
  counted: (ctx) => sql`select count(*) as count from inbound_webhooks where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select topic || ' ' || webhook_id as subject, 'failed: ' || coalesce(last_error, 'no reason recorded') as message
      from inbound_webhooks where store_id = ${ctx.storeId} and status = 'failed'
     order by id limit 100`
})
