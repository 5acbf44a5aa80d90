import { BillingIcon, MembersIcon, OrdersIcon, OverviewIcon, SubscriptionsIcon } from '../../shared/ui/icons.tsx'

/** The pages of a store that the navigation and the search box lead to. */
export const ENTRIES = [
  { page: 'overview', path: '', Icon: OverviewIcon },
  { page: 'members', path: '/members', Icon: MembersIcon },
  { page: 'subscriptions', path: '/subscriptions', Icon: SubscriptionsIcon },
  { page: 'billing', path: '/billing', Icon: BillingIcon },
  { page: 'orders', path: '/orders', Icon: OrdersIcon }
] as const
