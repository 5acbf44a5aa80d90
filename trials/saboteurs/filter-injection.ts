// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is replaced holds them
import type { Edit, Saboteur } from './saboteur.ts'

const MEMBERS = 'src/views/member-filters.ts'
const EMAIL = '`lower(email) = lower(${email})`'

const without = (failsWith: string, edit: Edit): Saboteur => ({
  trial: 'filter-injection',
  run: ['trials/run.ts', 'filter-injection', '7', '--rounds', '1500'],
  trialThen: { failsWith },
  edits: [edit]
})

export const filterInjectionSaboteurs: Record<string, Saboteur> = {
  'an e-mail address is a pattern': without('is found: email=', {
    file: MEMBERS,
    from: EMAIL,
    to: '`lower(email) like lower(${email})`'
  }),
  'e-mail addresses that look alike are the same': without('is found: email=', {
    file: MEMBERS,
    from: EMAIL,
    to: '`lower(normalize(email, NFKC)) = lower(normalize(${email}, NFKC))`'
  }),
  'an id may have something after it': without('/members: 200', {
    file: 'src/kit/ids.ts',
    from: 'if (!/^[1-9][0-9]{0,15}$/.test(digits)) return null\n  const id = Number(digits)',
    to: 'const id = Number.parseInt(digits, 10)'
  })
}
