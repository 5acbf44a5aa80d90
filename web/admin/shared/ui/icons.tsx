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
export const AccountIcon = icon(
  'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20.500c.6-3.7 3.4-5.5 7.5-5.500s6.9 1.8 7.5 5.5'
)
export const BackIcon = icon('M14.5 5.500L8 12l6.5 6.5')
