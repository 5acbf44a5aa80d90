import { storePath } from '../store-flag.ts'

type LoyaltyList = 'rules' | 'tiers' | 'templates' | 'coupons' | 'referrals' | 'receipts' | 'subscription-rewards'

export const loyaltyPath = (store: string, list: LoyaltyList, id = '') =>
  storePath(store, `/loyalty/${list}${id && `/${id}`}`)
