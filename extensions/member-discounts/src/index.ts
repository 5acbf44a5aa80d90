// The entry that the platform's command line builds: each export is a target of shopify.extension.toml.
export { memberPrices } from './member-prices.ts'
export { memberShipping } from './member-shipping.ts'
