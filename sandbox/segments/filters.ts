import type { Customer } from '../state/customers.ts'

export type FilterType = 'Association' | 'String' | 'Boolean' | 'Integer' | 'Float' | 'Date' | 'Enum' | 'Event'
/** What a filter compares: nothing is known of a null. */
export type FilterValue = string | number | boolean | string[] | Temporal.Instant | null

/** A customer with what filters need to know of the orders; null for a customer without any. */
export type Person = Customer & { firstOrderAt: Temporal.Instant | null; lastOrderAt: Temporal.Instant | null }

export type Filter = {
  name: string
  title: string
  type: FilterType
  isMultiple: boolean
  /** Null for what these shops do not know of anybody. */
  read: ((person: Person, currency: { unit: number }) => FilterValue) | null
}

const filter = (
  name: string,
  title: string,
  type: FilterType,
  read: Filter['read'] = null,
  isMultiple = type === 'Association'
): Filter => ({ name, title, type, isMultiple, read })

/** The filters of the platform that these shops know, in the platform's order. */
export const FILTERS: readonly Filter[] = [
  filter('customer_tags', 'Customer tags', 'Association', ({ tags }) => tags),
  filter('orders_placed', 'Orders placed', 'Event'),
  filter('products_purchased', 'Products purchased', 'Event'),
  filter('number_of_orders', 'Number of orders', 'Integer', ({ ordersCount }) => ordersCount),
  filter('amount_spent', 'Amount spent', 'Float', ({ spentMinor }, { unit }) => spentMinor / unit),
  filter('first_order_date', 'Date of first order', 'Date', ({ firstOrderAt }) => firstOrderAt),
  filter('last_order_date', 'Date of last order', 'Date', ({ lastOrderAt }) => lastOrderAt),
  filter('customer_added_date', 'Date customer was added', 'Date', ({ createdAt }) => createdAt),
  filter('abandoned_checkout_date', 'Abandoned checkout date', 'Date', () => null),
  filter('customer_countries', 'Location', 'Association', ({ country }) => (country ? [country] : [])),
  filter('customer_regions', 'Region', 'Association', ({ country, province }) =>
    country && province ? [`${country}-${province}`] : []
  ),
  filter('customer_cities', 'City', 'Association', () => []),
  filter('companies', 'Companies', 'Association', () => null),
  filter('customer_email_domain', 'Email domain', 'String', ({ email }) => email?.split('@').at(-1) ?? null),
  filter(
    'email_subscription_status',
    'Email subscription status',
    'Enum',
    ({ more }) => more.email?.state ?? 'NOT_SUBSCRIBED'
  ),
  filter(
    'sms_subscription_status',
    'SMS subscription status',
    'Enum',
    ({ more }) => more.sms?.state ?? 'NOT_SUBSCRIBED'
  ),
  filter('customer_account_status', 'Customer account status', 'Enum', () => 'DISABLED'),
  filter('customer_language', 'Language', 'Enum', ({ more }) => more.locale ?? null),
  filter('product_subscription_status', 'Product subscription status', 'Enum', () => null),
  filter('predicted_spend_tier', 'Predicted spend tier', 'Enum', () => null),
  filter('rfm_group', 'RFM group', 'Enum', () => null),
  filter('shopify_email.opened', 'Email opened', 'Event'),
  filter('shopify_email.clicked', 'Email clicked', 'Event'),
  filter('shopify_email.bounced', 'Email bounced', 'Event')
]

export const filterNamed = (name: string): Filter | undefined => FILTERS.find((one) => one.name === name.toLowerCase())
