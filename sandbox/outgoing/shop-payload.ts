import type { Shop } from '../shop.ts'
import { formsOf, number } from './json.ts'

/** The body of shop/update and app/uninstalled. The shop's address is unknown in the sandbox. */
export function shopPayload(shop: Shop, now: Temporal.Instant) {
  const form = formsOf(shop)
  return {
    id: number(shop.id),
    name: shop.name,
    email: shop.email,
    domain: shop.domain,
    province: null,
    country: null,
    address1: null,
    zip: null,
    city: null,
    source: null,
    phone: null,
    latitude: null,
    longitude: null,
    primary_locale: 'en',
    address2: null,
    created_at: form.at(shop.createdAt),
    updated_at: form.at(now),
    country_code: null,
    country_name: null,
    currency: shop.currency,
    customer_email: shop.email,
    timezone: `(GMT${now.toZonedDateTimeISO(shop.timezone).offset}) ${shop.timezone}`,
    iana_timezone: shop.timezone,
    shop_owner: shop.name,
    money_format: '{{amount}}',
    money_with_currency_format: `{{amount}} ${shop.currency}`,
    plan_display_name: 'Development',
    plan_name: 'development',
    myshopify_domain: shop.domain,
    eligible_for_payments: true,
    password_enabled: false,
    has_storefront: true,
    finances: true,
    enabled_presentment_currencies: [shop.currency]
  }
}
