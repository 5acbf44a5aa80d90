import {
  BillingIcon,
  CreditIcon,
  ImportsIcon,
  MembersIcon,
  OrdersIcon,
  OverviewIcon,
  PrivacyIcon,
  SandboxIcon,
  SettingsIcon,
  SubscriptionsIcon,
  TeamIcon
} from '../shared/ui/icons.tsx'

/** The pages of a store that the navigation and the search box lead to. */
const ENTRIES = [
  { page: 'overview', path: '', Icon: OverviewIcon },
  { page: 'members', path: '/members', Icon: MembersIcon },
  { page: 'subscriptions', path: '/subscriptions', Icon: SubscriptionsIcon },
  { page: 'billing', path: '/billing', Icon: BillingIcon },
  { page: 'orders', path: '/orders', Icon: OrdersIcon },
  { page: 'credit', path: '/credit', Icon: CreditIcon },
  { page: 'imports', path: '/imports', Icon: ImportsIcon },
  { page: 'privacy', path: '/privacy', Icon: PrivacyIcon },
  { page: 'settings', path: '/settings', Icon: SettingsIcon },
  { page: 'team', path: '/team', Icon: TeamIcon },
  { page: 'sandbox', path: '/sandbox', Icon: SandboxIcon }
] as const

/** Those of one store: only a sandbox store has a sandbox. */
export const entriesOf = (store: { sandbox: boolean } | null) =>
  ENTRIES.filter(({ page }) => page !== 'sandbox' || store?.sandbox === true)
