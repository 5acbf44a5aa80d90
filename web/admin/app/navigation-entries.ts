import {
  BillingIcon,
  LoyaltyIcon,
  MembersIcon,
  OrdersIcon,
  OverviewIcon,
  PlansIcon,
  RetentionIcon,
  SubscriptionsIcon
} from '../shared/ui/icons.tsx'

/** The pages of a store that the navigation and the search box lead to. */
export const ENTRIES = [
  { page: 'overview', path: '', Icon: OverviewIcon },
  { page: 'members', path: '/members', Icon: MembersIcon },
  { page: 'subscriptions', path: '/subscriptions', Icon: SubscriptionsIcon },
  { page: 'billing', path: '/billing', Icon: BillingIcon },
  { page: 'orders', path: '/orders', Icon: OrdersIcon },
  { page: 'plans', path: '/plans', Icon: PlansIcon },
  { page: 'retention', path: '/retention', Icon: RetentionIcon },
  { page: 'loyalty', path: '/loyalty', Icon: LoyaltyIcon }
] as const
