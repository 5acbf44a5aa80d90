import type { Saboteur } from './saboteur.ts'

export const rollingUpgradeSaboteurs: Record<string, Saboteur> = {
  'a migration takes away what older nodes use': {
    trial: 'rolling-upgrade',
    run: ['trials/run.ts', 'rolling-upgrade', '7'],
    trialThen: { failsWith: 'before it was ready' },
    edits: [
      {
        file: 'migrations/0023-stores-restored.sql',
        from: 'insert into installation default values;',
        to: 'insert into installation default values; alter table webhook_endpoints rename description to about;'
      }
    ]
  }
}
