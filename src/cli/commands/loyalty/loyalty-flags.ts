import { matching, needed, oneOf, optional } from '../../flags.ts'
import { storePath } from '../store-flag.ts'

/** The number of a rule, a tier or a template. */
export const numberFlag = (what: string) =>
  needed('--id <number>', matching(`the number of a ${what}`, /^[1-9]\d{0,14}$/))

/** Whether something takes place at once. */
export const yesOrNo = (written: string) => optional(written, oneOf('yes', 'no'))

export const isYes = (word: 'yes' | 'no' | undefined) => (word === undefined ? undefined : word === 'yes')

type LoyaltyList = 'rules' | 'tiers' | 'templates' | 'coupons' | 'referrals' | 'receipts' | 'subscription-rewards'

export const loyaltyPath = (store: string, list: LoyaltyList, id = '') =>
  storePath(store, `/loyalty/${list}${id && `/${id}`}`)
