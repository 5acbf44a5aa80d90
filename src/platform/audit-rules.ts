import { defineAuditRule } from '#kit/define-audit-rule'
import { nullable, row, sql, textList } from '#kit/postgres'
import { missingScopes, OPTIONAL_SCOPES, REQUESTED_SCOPES, requestedScopes } from './access-scopes.ts'

export const platformMessagesProcessed = defineAuditRule({
  name: 'platform_messages_processed',
  severity: 'finding',
  help:
    'Processing a webhook of the platform failed in every try. The finding has the last error. `perennial platform repair` has it ' +
    'processed again, as a token or an access scope does that comes after one was refused.',
  counted: (ctx) => sql`select count(*) as count from inbound_webhooks where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select topic || ' ' || webhook_id as subject, 'failed: ' || coalesce(last_error, 'no reason recorded') as message
      from inbound_webhooks where store_id = ${ctx.storeId} and status = 'failed'
     order by id limit 100`
})

const { read_all_orders: ALL_ORDERS } = OPTIONAL_SCOPES

export const scopesGranted = defineAuditRule({
  name: 'scopes_granted',
  severity: 'finding',
  help:
    "The app lacks an [access scope](#access-scopes) in the shop; the message says what has stopped. Open the app in the shop's admin, " +
    'where the platform asks to grant it again. It is noticed by the message of the platform and with every hourly check.',
  async check(ctx) {
    const { grantedScopes } = await ctx.tx.one(
      row({ grantedScopes: nullable(textList) }),
      sql`select case when status = 'active' then granted_scopes end as granted_scopes from stores where store_id = ${ctx.storeId}`
    )
    if (grantedScopes === null) return { counted: 0, wrong: [] }
    return {
      counted: requestedScopes.length,
      wrong: missingScopes(grantedScopes).map((scope) => ({
        subject: scope,
        message: `is not granted: ${REQUESTED_SCOPES[scope].without}`
      }))
    }
  }
})

export const allOrdersReadable = defineAuditRule({
  name: 'all_orders_readable',
  severity: 'warning',
  help:
    'The app has no scope `read_all_orders` in a shop that is no sandbox. Orders older than 60 days are not seen, and what is known of ' +
    'first orders is [marked so](orders.md#orders-older-than-60-days). The platform grants the scope on request.',
  counted: (ctx) => sql`select count(*) as count from stores where store_id = ${ctx.storeId} and not sandbox`,
  wrong: (ctx) => sql`
    select 'read_all_orders' as subject, ${`is not granted: ${ALL_ORDERS.without}`} as message from stores
     where store_id = ${ctx.storeId} and not sandbox and status = 'active' and granted_scopes is not null
       and not 'read_all_orders' = any(granted_scopes)`
})

export const accessTokenExpires = defineAuditRule({
  name: 'access_token_expires',
  severity: 'warning',
  help:
    'The access token of a store that is no sandbox does not expire. Shopify refuses such tokens of public apps from 1 January 2027; for ' +
    "custom apps they stay good. Set PLATFORM_CLIENT_ID and PLATFORM_CLIENT_SECRET and open the app in the shop's admin once: that " +
    '[brings one that expires](connect-a-store.md) and is refreshed.',
  counted: (ctx) => sql`
    select count(*) as count from stores where store_id = ${ctx.storeId} and not sandbox and status = 'active'`,
  wrong: (ctx) => sql`
    select domain as subject, 'has an access token that does not expire: the platform refuses those of public apps from 2027-01-01' as message
      from stores
     where store_id = ${ctx.storeId} and not sandbox and status = 'active' and connected_at is not null and token_expires_at is null`
})

export const accessTokenRefreshed = defineAuditRule({
  name: 'access_token_refreshed',
  severity: 'finding',
  help:
    'The access token of the store was not refreshed before it ended, or the platform refuses it. The message says why. If the platform ' +
    "issues no other one, open the app in the shop's admin, or the link of `perennial platform install-link`.",
  counted: (ctx) => sql`
    select count(*) as count from stores where store_id = ${ctx.storeId} and status = 'active' and token_expires_at is not null`,
  wrong: (ctx) => sql`
    select domain as subject,
           'has an access token that ended at ' || token_expires_at || ' and was not refreshed: '
           || coalesce(refresh_error, 'the refresh token ended too, at ' || refresh_token_expires_at) as message
      from stores
     where store_id = ${ctx.storeId} and status = 'active' and token_expires_at is not null
       and token_expires_at < statement_timestamp()
       and (refresh_error is not null or refresh_token_expires_at < statement_timestamp())`
})
