import { flag, meaning, objectOf, onOrAbsent, withDefault } from '#kit/json-fields'
import { defineStorefrontSetting } from '../define-storefront-setting.ts'
import { openPlaceholder } from '../placeholders.ts'
import { buttonText, longText, shownText, title } from './widget-text.ts'

/** The cart widget that people see who are no members (spec 3, svc_widget_cart_page). */
export const widgetCartPage = defineStorefrontSetting({
  key: 'svc_widget_cart_page',
  name: 'Cart widget',
  help: 'The texts of the cart widget for people who are no members, and what it shows.',
  field: objectOf({
    cart_default_PAYG: meaning('Pay as you go is chosen at first, else the membership', withDefault(flag(), false)),
    cart_disclaimer: longText('What the customer agrees to'),
    enable_progress_bar: meaning('A bar shows how near the cart is to the next perk', withDefault(flag(), false)),
    hide_sp: meaning('Hides the widget of subscription products', onOrAbsent()),
    hide_st: meaning('Hides the widget of store credit', onOrAbsent()),
    m_body: longText('Of the membership offer'),
    m_checkout_btn_name: buttonText('Of the membership offer'),
    m_subtitle: shownText('Of the membership offer'),
    m_title: title('Of the membership offer'),
    progress_bar_item: shownText('What the bar says'),
    progress_bar_title: title('Of the bar'),
    r_body: longText('Of the purchase without a membership'),
    r_subtitle: shownText('Of the purchase without a membership'),
    r_title: title('Of the purchase without a membership'),
    subtitle: shownText('Of the widget')
  }),
  refuse: openPlaceholder
})
