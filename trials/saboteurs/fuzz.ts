import type { Edit, Saboteur } from './saboteur.ts'

const broken = (trialThen: Saboteur['trialThen'], edits: Edit[]): Saboteur => ({
  trial: 'fuzz',
  run: ['trials/run.ts', 'fuzz', '3', '--rounds', '2000'],
  trialThen,
  edits
})

const nulInBodies: Edit = {
  file: 'src/http/server/strict-json.ts',
  from: "if (hasEscape && string.includes('\\0')) throw",
  to: "if (hasEscape && string.includes('\\0\\0\\0')) throw"
}
const nulInQueries: Edit = {
  file: 'src/http/server/unroutable.ts',
  from: "if (query.includes('%00')) return",
  to: "if (query.includes('%00%00%00')) return"
}
const longIds: Edit = { file: 'src/kit/ids.ts', from: '[1-9][0-9]{0,15}$', to: '[1-9][0-9]{0,30}$' }
const unsafeIds: Edit = {
  file: 'src/kit/ids.ts',
  from: 'return Number.isSafeInteger(id) ? id : null',
  to: 'return id'
}

export const fuzzSaboteurs: Record<string, Saboteur> = {
  'a body and a query may hold NUL': broken({ failsWith: 'a fault of ours' }, [nulInBodies, nulInQueries]),
  'a string of a body may hold NUL': broken({ failsWith: 'a fault of ours' }, [nulInBodies]),
  'a query may hold NUL': broken({ failsWith: 'a fault of ours' }, [nulInQueries]),
  'an id may have any number of digits and any value': broken({ failsWith: 'a fault of ours' }, [longIds, unsafeIds]),
  'an id may have any number of digits; its value must be a safe integer': broken('passes', [longIds]),
  'an id may be no safe integer; it has at most 16 digits': broken('passes', [unsafeIds])
}
