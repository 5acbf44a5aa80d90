import { type Edit, type Saboteur, slice } from './saboteur.ts'

/** Of 200 or 300 changes the writing is at times over before facts get positions. */
const LONGER = ['trials/run.ts', 'cursor-reads', '7', '--rounds', '600']

const without = (run: string[], ...edits: Edit[]): Saboteur => ({
  trial: 'cursor-reads',
  run,
  trialThen: 'fails',
  edits
})

export const cursorReadsSaboteurs: Record<string, Saboteur> = {
  'events are in the order of their ids, which are given before the commit': without(
    LONGER,
    {
      file: 'migrations/functions/sequence-facts.sql',
      from: 'set position = last + w.nth',
      to: 'set position = w.id'
    },
    {
      file: 'migrations/functions/sequence-facts.sql',
      from: 'set last_position = last + given where',
      to: 'set last_position = greatest(last, (select max(position) from facts where store_id = store)) where'
    }
  ),
  'the next page begins after what has not been read': without(slice('cursor-reads-trial'), {
    file: 'src/webhooks/event-log/list-events.ts',
    from: 'nextSince: isLast ? span.end : facts.at(-1)!.position',
    to: 'nextSince: isLast ? span.end : span.end'
  })
}
