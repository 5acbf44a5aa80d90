import { type Edit, type Saboteur, slice } from './saboteur.ts'

const without = (failsWith: string, ...edits: Edit[]): Saboteur => ({
  trial: 'hanging-messages',
  run: slice('hanging-messages-trial'),
  trialThen: { failsWith },
  edits
})

export const hangingMessagesSaboteurs: Record<string, Saboteur> = {
  'the leases on messages under way are not extended': without('was handled twice at once', {
    file: 'src/kit/engines/lease-keeper.ts',
    from: 'const asked = [...store.until.keys()]',
    to: 'const asked = [...store.until.keys()].slice(0, 0)'
  }),
  'a message that hangs holds up those about every contract': without('has held up others', {
    file: 'src/sync/messages-under-way.ts',
    from: 'free: found.filter(({ key }) => !busy.has(key)),\n          waiting: found.filter(({ key }) => busy.has(key))',
    to: 'free: found.filter(() => busy.size === 0),\n          waiting: found.filter(() => busy.size > 0)'
  }),
  'messages are handled beside one about the same contract that hangs': without('was handled twice at once', {
    file: 'src/sync/messages-under-way.ts',
    from: 'free: found.filter(({ key }) => !busy.has(key)),\n          waiting: found.filter(({ key }) => busy.has(key))',
    to: 'free: found,\n          waiting: found.slice(0, 0)'
  })
}
