import {
  BillingIcon,
  IntegrationsIcon,
  LoyaltyIcon,
  MembersIcon,
  OrdersIcon,
  OverviewIcon,
  PlansIcon,
  RetentionIcon,
  SubscriptionsIcon,
  WebhooksIcon,
  WorkbenchIcon
} from '../shared/ui/icons.tsx'

/** The pages of a store that the navigation and the search box lead to. */
export const ENTRIES = [
  { page: 'overview', path: '', Icon: OverviewIcon },
  { page: 'members', path: '/members', Icon: MembersIcon },
  { page: 'subscriptions', path: '/subscriptions', Icon: SubscriptionsIcon },
  { page: 'billing', path: '/billing', Icon: BillingIcon },
  { page: 'orders', path: '/orders', Icon: OrdersIcon },
  { page: 'plans', path: '/plans', Icon: PlansIcon },
  { page: 'loyalty', path: '/loyalty', Icon: LoyaltyIcon },
  { page: 'retention', path: '/retention', Icon: RetentionIcon },
  { page: 'integrations', path: '/integrations', Icon: IntegrationsIcon },
  { page: 'webhooks', path: '/webhooks', Icon: WebhooksIcon },
  { page: 'workbench', path: '/workbench', Icon: WorkbenchIcon }
] as const
