import { objectOf } from '#kit/json-fields'
import { defineStorefrontSetting } from '../define-storefront-setting.ts'
import { selector, themeName } from './selector.ts'

/** Where the cart page has what the widget works with (spec 3, svc_cart_page_selector). */
export const cartPageSelector = defineStorefrontSetting({
  key: 'svc_cart_page_selector',
  name: 'Selectors of the cart page',
  help: 'CSS selectors of the cart page of the theme.',
  field: objectOf({
    cart_checkout_btn_selector: selector('The button to the checkout'),
    cart_form_selector: selector('The form of the cart'),
    cart_item_price_selector: selector('The price of an item'),
    cart_item_row_selector: selector('The row of an item'),
    theme_name_select: themeName()
  })
})
