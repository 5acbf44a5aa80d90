// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is replaced holds them
import type { Edit, Saboteur } from './saboteur.ts'

const run = ['trials/run.ts', 'foreign-ids', '7']
const broken = (trialThen: Saboteur['trialThen'], edits: Edit[]): Saboteur => ({
  trial: 'foreign-ids',
  run,
  trialThen,
  edits
})

const FIND_SUBSCRIPTION = 'src/views/find-subscription.ts'
const anySubscription: Edit = {
  file: FIND_SUBSCRIPTION,
  from: 'where s.store_id = $1 and s.id = $2',
  to: 'where $1::bigint is not null and s.id = $2'
}
const anyMember: Edit = {
  file: FIND_SUBSCRIPTION,
  from: 'join members m on m.store_id = $1 and m.id = s.member_id\n',
  to: 'join members m on m.store_id = s.store_id and m.id = s.member_id\n'
}
const anyEndpoint: Edit = {
  file: 'src/webhooks/endpoints/endpoint-queries.ts',
  from: 'where store_id = ${ctx.storeId} and id = ${id} and deleted_at is null`\n  )\n}\n\n/** The same, held',
  to: 'where id = ${id} and deleted_at is null`\n  )\n}\n\n/** The same, held'
}
const noRowSecurity: Edit = {
  file: 'migrations/0001-kit.sql',
  from: "to perennial_store\n    using (store_id = nullif(current_setting(''perennial.store_id'', true), '''')::bigint)",
  to: 'to perennial_store\n    using (true)'
}

export const foreignIdsSaboteurs: Record<string, Saboteur> = {
  'a read outside row-level security finds the subscriptions of every store': broken(
    { failsWith: 'rest getSubscription with subscription in its path' },
    [anySubscription, anyMember]
  ),
  'a read outside row-level security looks for a subscription in every store; its customer is of the store': broken(
    'passes',
    [anySubscription]
  ),
  'an endpoint is looked for in every store, and row-level security is off': broken(
    { failsWith: 'rest getWebhookEndpoint with endpoint in its path' },
    [anyEndpoint, noRowSecurity]
  ),
  'an endpoint is looked for in every store; row-level security holds': broken('passes', [anyEndpoint]),
  'row-level security is off; the conditions of the statements hold': broken('passes', [noRowSecurity])
}
