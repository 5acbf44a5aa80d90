import { meaning, objectOf, onOrOff, withDefault } from '#kit/json-fields'
import { defineStorefrontSetting } from '../define-storefront-setting.ts'
import { selector, themeName } from './selector.ts'

/** Where a side cart has what the widget works with (spec 3, svc_side_cart_selector). */
export const sideCartSelector = defineStorefrontSetting({
  key: 'svc_side_cart_selector',
  name: 'Selectors of the side cart',
  help: 'CSS selectors of the side cart of the theme, and whether the widget is shown there.',
  field: objectOf({
    btn_add_to_cart_selector: selector('The button that adds to the cart'),
    cart_checkout_btn_selector: selector('The button to the checkout'),
    cart_drawer_selector: selector('The drawer of the cart'),
    cart_form_selector: selector('The form of the cart'),
    cart_item_price_selector: selector('The price of an item'),
    cart_item_row_selector: selector('The row of an item'),
    cart_summary_selector: selector('The summary of the cart'),
    status: meaning('Whether the widget is in the side cart', withDefault(onOrOff(), false)),
    theme_name_select: themeName(),
    trigger_selector: selector('What opens the side cart')
  })
})
