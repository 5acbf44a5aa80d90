import { document } from '../wire/document.ts'

export const ShopInfo = document('query ShopInfo { shop { name myshopifyDomain ianaTimezone currencyCode } }')
