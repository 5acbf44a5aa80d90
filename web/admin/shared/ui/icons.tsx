/** Lines of 24 by 24, drawn for this interface. Words beside them say what they mean. */
function icon(path: string) {
  return ({ size = 18 }: { size?: number }) => (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  )
}

export const OverviewIcon = icon('M4 20V11M10 20V4M16 20v-7M21 20H3')
export const MembersIcon = icon(
  'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20c.4-4 3-6 6.5-6s6.1 2 6.5 6M16 4.500a3.5 3.5 0 0 1 0 6.300M18 14.500c2 .8 3.2 2.6 3.5 5.5'
)
export const SubscriptionsIcon = icon(
  'M19.500 8A8 8 0 0 0 5 7.500L3.500 9.500M4.500 16A8 8 0 0 0 19 16.500l1.500-2M3.500 4.500v5h5M20.500 19.500v-5h-5'
)
export const BillingIcon = icon('M3 6.500h18v11H3zM3 10.500h18M6.500 14.500h4')
export const OrdersIcon = icon('M5.500 8h13l1 12.500h-15zM8.500 10.500V7a3.500 3.500 0 0 1 7 0v3.500')
export const SearchIcon = icon('M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13M20 20l-4.900-4.900')
export const PlansIcon = icon('M4 7.5L12 3l8 4.5-8 4.5zM4 12l8 4.5 8-4.5M4 16.500l8 4.5 8-4.5')
export const RetentionIcon = icon(
  'M4 12a8 8 0 0 1 13.7-5.6L20 8.500M20 4v4.500h-4.500M20 12a8 8 0 0 1-13.7 5.6L4 15.500M4 20v-4.500h4.500'
)
export const LoyaltyIcon = icon(
  'M12 3.5l2.6 5.4 5.9.8-4.300 4.100 1 5.9-5.200-2.800-5.200 2.800 1-5.9-4.300-4.100 5.9-.8z'
)
export const CreditIcon = icon('M4 7.500h14.5V19H4zM4 7.500L15 4v3.500M15 13.300h3.500')
export const ImportsIcon = icon('M12 4v10.500M8 11l4 4 4-4M4.500 15v4.500h15V15')
export const PrivacyIcon = icon('M12 3.500l7 2.700v5.300c0 4.300-2.800 7.400-7 9-4.200-1.600-7-4.700-7-9V6.200z')
export const SettingsIcon = icon('M4 7h9M17 7h3M15 5v4M4 12h3M11 12h9M9 10v4M4 17h7M15 17h5M13 15v4')
export const TeamIcon = icon(
  'M12 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6M6 19c.4-3.600 2.600-5.500 6-5.500s5.600 1.900 6 5.500M4.500 10.500a2 2 0 1 1 1-3.800M19.500 10.500a2 2 0 1 0-1-3.800'
)
export const SandboxIcon = icon(
  'M9.500 4h5M10.500 4v5.500L5.500 18a1.700 1.700 0 0 0 1.500 2.500h10a1.700 1.700 0 0 0 1.500-2.500l-5-8.500V4M7.800 15h8.400'
)
export const AccountIcon = icon(
  'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20.500c.6-3.7 3.4-5.5 7.5-5.500s6.9 1.8 7.5 5.5'
)
export const BackIcon = icon('M14.5 5.500L8 12l6.5 6.5')
export const CopyIcon = icon('M9 9h10.5v10.500H9zM15 9V4.500H4.500V15H9')
export const CopiedIcon = icon('M5 12.500l4.500 4.500L19 7.500')
export const IntegrationsIcon = icon('M9 3v5M15 3v5M6 8h12v3.500a6 6 0 0 1-12 0zM12 17.500V21')
export const WebhooksIcon = icon('M4 12h11M11 7.500l4.500 4.500-4.500 4.500M19.500 5v14')
export const WorkbenchIcon = icon('M4 5h16v14H4zM7.500 9.500l2.500 2.500-2.500 2.500M12.500 15h4')
