import { defineAuditRule } from '#kit/define-audit-rule'
import { sql } from '#kit/postgres'

export const contractsQuarantined = defineAuditRule({
  name: 'contracts_quarantined',
  severity: 'warning',
  help:
    'A contract of the platform could not be read or imported; the warning says since when and why. It is read again ' +
    'automatically; until then no change of it is followed.',
  wrong: (ctx) => sql`
    select 'contract ' || contract_id as subject,
           'could not be read or imported since ' || since || ': ' || reason as message
      from quarantined_contracts where store_id = ${ctx.storeId} order by since, contract_id limit 100`
})
