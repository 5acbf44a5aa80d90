import type { Field, FieldFormat } from '#exports'

const BY_FORMAT: Record<FieldFormat, unknown> = {
  text: '',
  minute: '2026-11-20 04:00',
  day: '2026-11-20',
  decimal: '19.00',
  integer: 1,
  boolean: false
}

/** Texts that say nothing when they are empty. */
const BY_NAME: Record<string, string> = {
  shopify_customer_gid: '8345709432',
  email: 'ada@example.com',
  customer_email: 'ada@example.com',
  customer_name: 'Ada Lovelace',
  order_id: 'gid://platform/Order/6120945320',
  order_gid: 'gid://platform/Order/6120945320',
  order_name: '#1042',
  shopify_contract_id: '9264106591',
  currency: 'USD',
  currency_code: 'USD',
  unit: 'money'
}

/** A row of these fields as documents show it. */
export const exampleRow = (fields: readonly Field[]): Record<string, unknown> =>
  Object.fromEntries(fields.map(({ name, format }) => [name, BY_NAME[name] ?? BY_FORMAT[format]]))
