import type { Database } from '#kit/postgres'
import { updateStorefrontSetting } from '#storefront-settings'

/** Where the theme of the sandbox's shops has its cart, for the choice of memberships in it (docs/storefront.md). */
const SELECTORS = {
  svc_cart_page_selector: {
    cart_form_selector: '#cart',
    cart_checkout_btn_selector: '#checkout',
    cart_item_row_selector: '#cart tr.line',
    cart_item_price_selector: '.piece',
    theme_name_select: 'Sandbox'
  },
  svc_side_cart_selector: {
    status: 'on',
    btn_add_to_cart_selector: 'form[action$="/cart/add"] button',
    cart_checkout_btn_selector: '.side-cart-checkout',
    cart_drawer_selector: '#side-cart',
    cart_form_selector: '#side-cart-form',
    cart_item_price_selector: '.side-cart-price',
    cart_item_row_selector: '.side-cart-row',
    cart_summary_selector: '.side-cart-summary',
    theme_name_select: 'Sandbox',
    trigger_selector: '[data-open-cart]'
  }
}

/** Has the demo store sell its memberships in the cart of its shop, as a theme developer sets it up. */
export async function setUpDemoStorefront(db: Database, storeId: number): Promise<void> {
  await db.inStore(storeId, async (ctx) => {
    for (const [key, value] of Object.entries(SELECTORS)) {
      await updateStorefrontSetting(ctx, key, value, { canMail: false })
    }
  })
}
