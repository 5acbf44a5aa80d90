import { type Saboteur, slice } from './saboteur.ts'

export const fuzzSaboteurs: Record<string, Saboteur> = {
  'a string of a body may hold NUL': {
    trial: 'fuzz',
    run: slice('fuzz'),
    trialThen: 'fails',
    edits: [
      {
        file: 'src/http/server/strict-json.ts',
        from: "if (hasEscape && string.includes('\\0')) throw",
        to: "if (hasEscape && string.includes('\\0\\0\\0')) throw"
      }
    ]
  }
}
