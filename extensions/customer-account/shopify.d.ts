// What the platform gives each entry. Its command line writes this file anew.
import '@shopify/ui-extensions'

declare module './src/page.tsx' {
  const shopify: import('@shopify/ui-extensions/customer-account.page.render').Api
}

declare module './src/profile-block.tsx' {
  const shopify: import('@shopify/ui-extensions/customer-account.profile.block.render').Api
}
