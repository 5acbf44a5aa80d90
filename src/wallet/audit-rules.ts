import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

/** How long before its end a certificate is warned of: Apple issues the next one within minutes, but a person must ask for it. */
const WARN_DAYS = 30

export const walletCertificateValid = defineAuditRule({
  name: 'wallet_certificate_valid',
  severity: 'warning',
  help: `The certificate that signs passes for Apple Wallet ends within ${WARN_DAYS} days, or has ended: then phones accept no pass and no update. Make the next one for the same pass type, and set it by \`perennial wallet set-apple\` ([wallet passes](wallet.md)).`,
  counted: (ctx) =>
    sql`select count(*) as count from wallet_credentials where store_id = ${ctx.storeId} and kind = 'apple'`,
  wrong: (ctx) => sql`
    select 'apple ' || identifier as subject,
           case when expires_at <= statement_timestamp() then 'has expired at ' else 'expires at ' end
             || to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC' as message
      from wallet_credentials
     where store_id = ${ctx.storeId} and expires_at <= statement_timestamp() + ${WARN_DAYS} * interval '1 day'`
})

export const walletPassesPushed = defineAuditRule({
  name: 'wallet_passes_pushed',
  severity: 'warning',
  help: 'Phones could not be notified of the last change of a [wallet pass](wallet.md); the message says why. When the reason is gone, they are notified with the next change, and a phone that asks by itself has it before.',
  counted: (ctx) => sql`select count(*) as count from wallet_passes where store_id = ${ctx.storeId}`,
  wrong: (ctx) => sql`
    select 'mem_' || p.member_id as subject, p.problem as message from wallet_passes p
     where p.store_id = ${ctx.storeId} and p.problem is not null order by p.id limit 100`
})
