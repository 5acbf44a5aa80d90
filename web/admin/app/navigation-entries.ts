import { isEmbedded } from '../shared/api/embedding.ts'
import {
  BillingIcon,
  CreditIcon,
  ImportsIcon,
  IntegrationsIcon,
  LoyaltyIcon,
  MembersIcon,
  OrdersIcon,
  OverviewIcon,
  PlansIcon,
  PrivacyIcon,
  RetentionIcon,
  SandboxIcon,
  SettingsIcon,
  SubscriptionsIcon,
  TeamIcon,
  WebhooksIcon,
  WorkbenchIcon
} from '../shared/ui/icons.tsx'

/** The pages of a store that the navigation and the search box lead to. */
const ENTRIES = [
  { page: 'overview', path: '', Icon: OverviewIcon },
  { page: 'members', path: '/members', Icon: MembersIcon },
  { page: 'subscriptions', path: '/subscriptions', Icon: SubscriptionsIcon },
  { page: 'billing', path: '/billing', Icon: BillingIcon },
  { page: 'orders', path: '/orders', Icon: OrdersIcon },
  { page: 'plans', path: '/plans', Icon: PlansIcon },
  { page: 'loyalty', path: '/loyalty', Icon: LoyaltyIcon },
  { page: 'retention', path: '/retention', Icon: RetentionIcon },
  { page: 'credit', path: '/credit', Icon: CreditIcon },
  { page: 'imports', path: '/imports', Icon: ImportsIcon },
  { page: 'integrations', path: '/integrations', Icon: IntegrationsIcon },
  { page: 'webhooks', path: '/webhooks', Icon: WebhooksIcon },
  { page: 'workbench', path: '/workbench', Icon: WorkbenchIcon },
  { page: 'privacy', path: '/privacy', Icon: PrivacyIcon },
  { page: 'settings', path: '/settings', Icon: SettingsIcon },
  { page: 'team', path: '/team', Icon: TeamIcon },
  { page: 'sandbox', path: '/sandbox', Icon: SandboxIcon }
] as const

/** Those of one store: only a sandbox store has a sandbox. In the admin of a shop nobody sees the people of the whole installation. */
export const entriesOf = (store: { sandbox: boolean } | null) =>
  ENTRIES.filter(({ page }) => (page !== 'sandbox' || store?.sandbox === true) && (page !== 'team' || !isEmbedded))
