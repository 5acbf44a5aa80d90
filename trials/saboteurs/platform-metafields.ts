import type { Saboteur } from './saboteur.ts'
import { slice } from './saboteur.ts'

const STEPS = 'src/mirror/metafields/metafield-steps.ts'
const OWNERS = 'src/mirror/metafields/owner-queries.ts'
const REFRESH = 'src/mirror/metafields/refresh-metafields.ts'
const FILE = 'src/mirror/metafields/read-bulk-file.ts'
const RUN = slice('platform-metafields-trial')
const AFTER_CHANGES = 'metafields on the platform are wrong after the changes'

export const platformMetafieldsSaboteurs: Record<string, Saboteur> = {
  'metafields whose call failed are not written again': {
    trial: 'platform-metafields',
    run: RUN,
    trialThen: { failsWith: AFTER_CHANGES },
    edits: [
      {
        file: STEPS,
        from: 'dueAt: isRace && owner.attempts < RACES_AT_ONCE ? now : now.add({ minutes })',
        to: 'dueAt: null'
      }
    ]
  },
  'an owner that is refused keeps the others of its batch from being written': {
    trial: 'platform-metafields',
    run: RUN,
    trialThen: { failsWith: AFTER_CHANGES },
    edits: [{ file: STEPS, from: 'isAboutOne(one.set) && one.batch.length > 1', to: 'one.batch.length > 1000' }]
  },
  'a change of an owner that is being written is forgotten': {
    trial: 'platform-metafields',
    run: RUN,
    trialThen: { failsWith: AFTER_CHANGES },
    edits: [
      {
        file: OWNERS,
        from: 'due_at = case when o.version = e.version then e.due_at else o.due_at end',
        to: 'due_at = e.due_at'
      }
    ]
  },
  'credit that is added changes no metafield': {
    trial: 'platform-metafields',
    run: RUN,
    trialThen: { failsWith: AFTER_CHANGES },
    edits: [{ file: REFRESH, from: "  'store_credit.added',\n", to: '' }]
  },
  'what others have changed on the platform is not noticed': {
    trial: 'platform-metafields',
    run: RUN,
    trialThen: { failsWith: 'metafields on the platform are wrong after the changes by hand' },
    edits: [{ file: FILE, from: 'if (changed.length === 0) return', to: 'return' }]
  }
}
