import { type Edit, type Saboteur, slice } from './saboteur.ts'

const without = (failsWith: string, ...edits: Edit[]): Saboteur => ({
  trial: 'cursor-reads',
  run: slice('cursor-reads-trial'),
  trialThen: { failsWith },
  edits
})

export const cursorReadsSaboteurs: Record<string, Saboteur> = {
  'events are in the order of their ids, which are given before the commit': without(
    'events of a type',
    {
      file: 'migrations/functions/sequence-facts.sql',
      from: 'set position = last + w.nth',
      to: 'set position = w.id'
    },
    {
      file: 'migrations/functions/sequence-facts.sql',
      from: 'reached := last + given;',
      to: 'reached := greatest(last, (select max(position) from facts where store_id = store));'
    }
  ),
  'the next page begins after what has not been read': without('small pages and large ones', {
    file: 'src/webhooks/event-log/list-events.ts',
    from: 'nextSince: isLast ? span.end : facts.at(-1)!.position',
    to: 'nextSince: isLast ? span.end : span.end'
  })
}
