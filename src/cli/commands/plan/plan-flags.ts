import { amount, needed, oneOf, text, wholeNumber } from '../../flags.ts'
import { storePath } from '../store-flag.ts'

export const interval = oneOf('day', 'week', 'month', 'year')
export const intervalCount = { ...wholeNumber(1, 28), accepts: 'intervals per cycle, from 1 to 28' }
export const credit = { ...amount, accepts: 'store credit for each paid cycle, a decimal amount such as 29.00' }
export const planFlag = needed('--id <plan>', text('a plan id such as plan_3'))

export function planPath(store: string, id: string, rest = ''): string {
  return storePath(store, `/plans/${encodeURIComponent(id)}${rest}`)
}
