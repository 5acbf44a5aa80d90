import { type UserError, userError } from '../user-errors.ts'

const MAX_LENGTH = 255
/** The calling codes of countries that number without it. */
const CALLING_CODES: Record<string, string> = { US: '1', CA: '1', GB: '44', DE: '49', AT: '43', FR: '33', AU: '61' }

/** A telephone number as the platform keeps it: a plus sign and digits. Null if it is none. */
export function normalPhone(given: string, country: string | null = 'US'): string | null {
  const text = given.trim()
  if (!/^\+?[\d\s().-]+$/.test(text)) return null
  const digits = text.replaceAll(/\D/g, '')
  const code = text.startsWith('+') ? '' : (CALLING_CODES[country ?? ''] ?? '')
  return digits.length >= 5 && digits.length <= 15 ? `+${code}${digits}` : null
}

export function phoneProblems(given: string, at: string[]): UserError[] {
  const problems: UserError[] = []
  if (given.length > MAX_LENGTH) problems.push(userError(at, `Phone is too long (maximum is ${MAX_LENGTH} characters)`))
  if (normalPhone(given) === null) problems.push(userError(at, 'Phone is invalid'))
  return problems
}
