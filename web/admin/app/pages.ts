import type { ComponentType } from 'react'

/** The pages of a store by their paths below it, one line each. Every page is a chunk of its own, which is loaded when the page is opened. */
export const PAGES: { path: string; load: () => Promise<ComponentType> }[] = [
  { path: '', load: async () => (await import('../features/overview/overview-page.tsx')).OverviewPage },
  { path: 'members', load: async () => (await import('../features/members/members-page.tsx')).MembersPage },
  { path: 'members/:customer', load: async () => (await import('../features/members/member-page.tsx')).MemberPage },
  {
    path: 'subscriptions',
    load: async () => (await import('../features/subscriptions/subscriptions-page.tsx')).SubscriptionsPage
  },
  {
    path: 'subscriptions/:subscription',
    load: async () => (await import('../features/subscriptions/subscription-page.tsx')).SubscriptionPage
  },
  { path: 'billing', load: async () => (await import('../features/billing/billing-page.tsx')).BillingPage },
  { path: 'billing/:attempt', load: async () => (await import('../features/billing/attempt-page.tsx')).AttemptPage },
  { path: 'orders', load: async () => (await import('../features/orders/orders-page.tsx')).OrdersPage },
  { path: 'orders/:order', load: async () => (await import('../features/orders/order-page.tsx')).OrderPage },
  { path: 'integrations', load: async () => (await import('../features/integrations/keys-page.tsx')).KeysPage },
  {
    path: 'integrations/reward-points',
    load: async () => (await import('../features/integrations/reward-points-page.tsx')).RewardPointsPage
  },
  {
    path: 'integrations/platform',
    load: async () => (await import('../features/integrations/platform-page.tsx')).PlatformPage
  },
  { path: 'webhooks', load: async () => (await import('../features/webhooks/endpoints-page.tsx')).EndpointsPage },
  {
    path: 'webhooks/deliveries',
    load: async () => (await import('../features/webhooks/deliveries-page.tsx')).DeliveriesPage
  },
  {
    path: 'webhooks/deliveries/:delivery',
    load: async () => (await import('../features/webhooks/delivery-page.tsx')).DeliveryPage
  },
  {
    path: 'webhooks/signature',
    load: async () => (await import('../features/webhooks/signature-page.tsx')).SignaturePage
  },
  {
    path: 'webhooks/:endpoint',
    load: async () => (await import('../features/webhooks/endpoint-page.tsx')).EndpointPage
  },
  { path: 'workbench', load: async () => (await import('../features/workbench/events-page.tsx')).EventsPage },
  {
    path: 'workbench/dead-letters',
    load: async () => (await import('../features/workbench/dead-letters-page.tsx')).DeadLettersPage
  },
  {
    path: 'workbench/requests',
    load: async () => (await import('../features/workbench/requests-page.tsx')).RequestsPage
  },
  { path: 'plans', load: async () => (await import('../features/plans/plans-page.tsx')).PlansPage },
  { path: 'plans/:plan', load: async () => (await import('../features/plans/plan-page.tsx')).PlanPage },
  {
    path: 'retention/:part?',
    load: async () => (await import('../features/retention/retention-page.tsx')).RetentionPage
  },
  { path: 'loyalty/:part?', load: async () => (await import('../features/loyalty/loyalty-page.tsx')).LoyaltyPage },
  { path: 'account', load: async () => (await import('../features/account/account-page.tsx')).AccountPage },
  { path: 'credit', load: async () => (await import('../features/credit/credit-page.tsx')).CreditPage },
  { path: 'imports', load: async () => (await import('../features/imports/imports-page.tsx')).ImportsPage },
  {
    path: 'imports/platform',
    load: async () => (await import('../features/imports/from-platform-page.tsx')).FromPlatformPage
  },
  {
    path: 'imports/credit',
    load: async () => (await import('../features/imports/credit-import-page.tsx')).CreditImportPage
  },
  {
    path: 'imports/loyalty',
    load: async () => (await import('../features/imports/loyalty-import-page.tsx')).LoyaltyImportPage
  },
  { path: 'imports/:import', load: async () => (await import('../features/imports/import-page.tsx')).ImportPage },
  { path: 'privacy', load: async () => (await import('../features/privacy/privacy-page.tsx')).PrivacyPage },
  { path: 'settings/:part?', load: async () => (await import('../features/settings/settings-page.tsx')).SettingsPage },
  { path: 'team/:part?', load: async () => (await import('../features/team/team-page.tsx')).TeamPage },
  { path: 'team/people/:person', load: async () => (await import('../features/team/person-page.tsx')).PersonPage },
  { path: 'sandbox', load: async () => (await import('../features/sandbox/sandbox-page.tsx')).SandboxPage }
]
